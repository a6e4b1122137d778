/** What a request for a sync came to: it runs, or it waits behind the one that runs. */
export type TriggerOutcome = 'Started' | 'Queued';

/** Asks for syncs without waiting for them: of each source one runs and at most one is queued, however many ask. */
export class SyncTrigger {
  readonly #sync: (source: string) => Promise<unknown>;
  readonly #running = new Map<string, Promise<void>>();
  readonly #queued = new Set<string>();
  #isStopped = false;

  /** `sync` looks at one source; what it rejects with has been reported elsewhere. */
  constructor(sync: (source: string) => Promise<unknown>) {
    this.#sync = sync;
  }

  readonly request = (source: string): TriggerOutcome => {
    if (this.#running.has(source)) {
      this.#queued.add(source);
      return 'Queued';
    }
    if (!this.#isStopped) this.#running.set(source, this.#run(source));
    return 'Started';
  };

  /** Starts nothing more, and waits for what runs. */
  readonly stop = async (): Promise<void> => {
    this.#isStopped = true;
    this.#queued.clear();
    await Promise.all(this.#running.values());
  };

  async #run(source: string): Promise<void> {
    do {
      this.#queued.delete(source);
      await this.#sync(source).catch(() => undefined);
    } while (this.#queued.has(source));
    this.#running.delete(source);
  }
}
