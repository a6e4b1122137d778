import type { SaveSource } from '#git-sync';
import type { StoredSource } from '#ledger';

/** Records one action over several sources, once each of them has said where it stands from then on, or has left. */
export class JointRecord {
  readonly #record: (sources: readonly StoredSource[]) => Promise<void>;
  readonly #open: Set<string>;
  readonly #saved: StoredSource[] = [];
  readonly #recorded = Promise.withResolvers<undefined>();

  /** @param record is called once, at once where there is no source. */
  constructor(sources: Iterable<string>, record: (sources: readonly StoredSource[]) => Promise<void>) {
    this.#record = record;
    this.#open = new Set(sources);
    this.#settle();
  }

  /** Resolves once the action is durable with all that was saved. @throws what recording throws */
  get recorded(): Promise<undefined> {
    return this.#recorded.promise;
  }

  /** Of one source. @throws what recording throws */
  readonly save: SaveSource = async (state) => {
    this.#saved.push(state);
    this.leave(state.source);
    await this.recorded;
  };

  /** The source is waited for no longer. */
  leave(source: string): void {
    if (this.#open.delete(source)) this.#settle();
  }

  #settle(): void {
    if (this.#open.size > 0) return;
    const { resolve, reject } = this.#recorded;
    this.#record(this.#saved).then(() => resolve(undefined), reject);
  }
}
