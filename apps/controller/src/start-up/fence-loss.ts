/** That another process has taken over: everything read under the lost fences may be stale from then on. */
export class FenceLoss {
  readonly #lost = Promise.withResolvers<undefined>();

  /** Resolves when the fences are lost; pending for ever where they never are. */
  get whenLost(): Promise<undefined> {
    return this.#lost.promise;
  }

  readonly report = (): void => this.#lost.resolve(undefined);
}
