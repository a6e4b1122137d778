import type { ScopeLoss } from '../coordination/holdings/scope-loss.ts';

/** That another process has taken over: everything read under the lost fences may be stale from then on. */
export class FenceLoss {
  readonly #lost = Promise.withResolvers<ScopeLoss>();

  /** Resolves to how, when the fences are lost; pending for ever where they never are. */
  get whenLost(): Promise<ScopeLoss> {
    return this.#lost.promise;
  }

  readonly report = (loss: ScopeLoss): void => this.#lost.resolve(loss);
}
