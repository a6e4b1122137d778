import type { PullRequest } from '#git-sync';
import { AdapterError } from '#kernel';
import {
  type CommitReference,
  type FenceLookup,
  type LedgerPort,
  type LedgerWriter,
  type ReviewedPullRequest,
  sourceScope,
  syncStream,
} from '#ledger';
import type { ClockPort } from '#reconciliation';

export interface CommitReviewsOptions {
  readonly writer: LedgerWriter;
  readonly fences: FenceLookup;
  readonly ledger: Pick<LedgerPort, 'entries'>;
  readonly clock: Pick<ClockPort, 'now'>;
}

/** Records in the ledger who allowed commits, as their forges tell it, under the scope of their source. */
export class CommitReviews {
  readonly #options: CommitReviewsOptions;

  constructor(options: CommitReviewsOptions) {
    this.#options = options;
  }

  /** Records what a forge said, unless that is recorded already. @throws AdapterError */
  readonly record = async (
    source: string,
    commit: CommitReference,
    pullRequest: PullRequest,
  ): Promise<void> => {
    if (await this.#isRecorded(source, commit)) return;
    const { writer, fences, clock } = this.#options;
    const payload = { source, commit, pullRequest: reviewedPullRequest(pullRequest) };
    const appended = await writer
      .under(() => fences.of(sourceScope(source)))
      .append({ drafts: [{ stream: syncStream, kind: 'CommitReview', time: clock.now(), payload }] });
    if (appended.ok) return;
    throw new AdapterError({
      code: appended.error.code,
      message: `who allowed a commit was not recorded: ${appended.error.code}`,
      retryable: true,
    });
  };

  async #isRecorded(source: string, { hash }: CommitReference): Promise<boolean> {
    const { items } = await this.#options.ledger.entries({
      kinds: ['CommitReview'],
      commit: hash,
      order: 'NewestFirst',
      limit: maximumSources,
    });
    return items.some(({ entry }) => entry.kind === 'CommitReview' && entry.payload.source === source);
  }
}

/** Several sources may read one repository: each has a forge and a branch of its own. */
const maximumSources = 100;

/** Null: the commit came without one. */
export function reviewedPullRequest({ number, author, approvers }: PullRequest): ReviewedPullRequest | null {
  return number === null ? null : { number, author, approvers };
}
