import type { PullRequest, PullRequestStorePort } from '#git-sync';
import { Batch } from '../requests/batch.ts';

/** What the store answers in one question. */
const maximumBatch = 100;

/** Finds out who allowed commits; the commits of one answer are one question, however many rows name them. */
export class PullRequestLookup {
  readonly #commits: Batch<string, PullRequest | null>;

  constructor(store: PullRequestStorePort) {
    this.#commits = new Batch({
      load: async (commits) => {
        const found = await store.load(commits);
        return commits.map((commit) => found.get(commit) ?? null);
      },
      maximumQueries: maximumBatch,
      keyOf: (commit) => commit,
    });
  }

  /** Null: nothing is known. */
  find(commit: string): Promise<PullRequest | null> {
    return this.#commits.read(commit);
  }
}
