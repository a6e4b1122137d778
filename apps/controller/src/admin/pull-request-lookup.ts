import type { PullRequest, PullRequestStorePort } from '#git-sync';

/** What the store answers in one question. */
const maximumBatch = 100;

type Waiting = PromiseWithResolvers<PullRequest | null>;

/** Finds out who allowed commits; the commits of one answer are one question, however many rows name them. */
export class PullRequestLookup {
  readonly #store: PullRequestStorePort;
  #waiting = new Map<string, Waiting>();

  constructor(store: PullRequestStorePort) {
    this.#store = store;
  }

  /** Null: nothing is known. */
  find(commit: string): Promise<PullRequest | null> {
    const known = this.#waiting.get(commit);
    if (known !== undefined) return known.promise;
    const waiting = Promise.withResolvers<PullRequest | null>();
    if (this.#waiting.size === 0) setImmediate(() => this.#answer());
    this.#waiting.set(commit, waiting);
    return waiting.promise;
  }

  #answer(): void {
    const waiting = [...this.#waiting];
    this.#waiting = new Map();
    for (let start = 0; start < waiting.length; start += maximumBatch)
      void this.#answerBatch(waiting.slice(start, start + maximumBatch));
  }

  async #answerBatch(batch: readonly (readonly [string, Waiting])[]): Promise<void> {
    try {
      const found = await this.#store.load(batch.map(([commit]) => commit));
      for (const [commit, { resolve }] of batch) resolve(found.get(commit) ?? null);
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    }
  }
}
