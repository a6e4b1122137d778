import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PullRequest } from '#git-sync';
import { HeldFences, type LedgerEntry, LedgerWriter, sourceScope, syncStream } from '#ledger';
import { InMemoryLedger, takeFence } from '#ledger/testing';
import { CommitReviews } from './commit-reviews.ts';

const commit = {
  hash: 'a'.repeat(40),
  author: 'Alex <alex@example.com>',
  subject: 'Raise (#12)',
  time: '2026-11-21T12:00:00Z',
};
const said: PullRequest = { number: 12, author: 'alex', approvers: ['ada'], verified: true };
const now = '2026-11-21T12:01:00.000Z';

describe('the record of who allowed commits', () => {
  let ledger: InMemoryLedger;
  let reviews: CommitReviews;

  beforeEach(async () => {
    ledger = new InMemoryLedger();
    const { fences } = ledger;
    const held = await Promise.all(
      ['policies', 'others'].map((name) => takeFence(fences, { scope: sourceScope(name) })),
    );
    const writer = new LedgerWriter({ port: ledger, fence: held[0]!, cluster: 'test' });
    reviews = new CommitReviews({
      writer,
      fences: new HeldFences(held),
      ledger,
      clock: { now: () => now },
    });
  });

  const recorded = async (): Promise<readonly LedgerEntry[]> =>
    ledger.streamEntries({ stream: syncStream, after: 0n, limit: 10 });

  it('has what the forge said of a commit, once per source', async () => {
    for (const source of ['policies', 'policies', 'others']) await reviews.record(source, commit, said);
    const pullRequest = { number: 12, author: 'alex', approvers: ['ada'] };
    expect(await recorded()).toMatchObject(
      ['policies', 'others'].map((source) => ({
        kind: 'CommitReview',
        time: now,
        payload: { source, commit, pullRequest },
      })),
    );
  });

  it('has a commit that came without a pull request', async () => {
    await reviews.record('policies', commit, { number: null, author: null, approvers: [], verified: true });
    expect(await recorded()).toMatchObject([{ payload: { pullRequest: null } }]);
  });

  it('is tried again where the ledger takes nothing, and refused for a source of another process', async () => {
    ledger.faults.push('Broken');
    await expect(reviews.record('policies', commit, said)).rejects.toMatchObject({ retryable: true });
    await reviews.record('policies', commit, said);
    await expect(reviews.record('strangers', commit, said)).rejects.toMatchObject({ code: 'Fenced' });
    expect(await recorded()).toHaveLength(1);
  });
});
