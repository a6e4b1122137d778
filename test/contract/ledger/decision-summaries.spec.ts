import { beforeEach, expect, it } from '@jest/globals';
import type { LedgerDatabase } from '#adapter-sql';
import { type DecisionSummary, LedgerWriter, policyStream } from '#ledger';
import { takeFence } from '#ledger/testing';
import { aDecisionDraft, appended, checkout, timeAfter } from '../../support/ledger-builders.ts';
import { onBothDatabases } from './on-both-databases.ts';

onBothDatabases('summaries of decisions', (opened) => {
  let database: LedgerDatabase;
  let streams = 0;
  let policy = checkout;
  beforeEach(() => {
    database = opened();
    streams += 1;
    policy = { namespace: 'shop', name: `checkout-${streams}` };
  });

  const append = async (...reasons: readonly string[]): Promise<void> => {
    const { ledger, fences } = database;
    const fence = await takeFence(fences, { scope: `shard/${streams}` });
    const writer = new LedgerWriter({ port: ledger, fence, cluster: 'test' });
    const drafts = reasons.map((reason, index) =>
      aDecisionDraft({ policy, reason, time: timeAfter(index), currentReplicas: index === 0 ? null : index }),
    );
    appended(await writer.append({ drafts }));
  };
  const summaries = async (): Promise<readonly DecisionSummary[]> => {
    const query = { stream: policyStream(policy), order: 'OldestFirst', limit: 10 } as const;
    const [page] = await database.ledger.decisionSummaries([query]);
    return page?.items.map(({ entry }) => entry) ?? [];
  };
  const summariesAt = async (...numbers: readonly bigint[]): Promise<readonly DecisionSummary[]> => {
    const addresses = numbers.map((seq) => ({ stream: policyStream(policy), seq }));
    const found = await database.ledger.decisionSummariesAt(addresses);
    return found.toSorted((left, right) => Number(left.seq - right.seq));
  };
  const change = async (sql: string): Promise<void> => {
    const outcome = await database.sql.transaction([
      { sql: 'INSERT INTO retention_permit (id) VALUES (1)' },
      { sql },
      { sql: 'DELETE FROM retention_permit' },
    ]);
    expect(outcome.ok).toBe(true);
  };
  const ofStream = (): string =>
    `stream_id = (SELECT id FROM stream_head WHERE stream = '${policyStream(policy)}')`;

  it('have what lists show, a count that could not be read included', async () => {
    await append('first', 'second', 'second');
    expect(await summaries()).toMatchObject([
      { policy, reason: 'first', currentReplicas: null, desiredReplicas: 4, action: 'None' },
      { policy, reason: 'second', currentReplicas: 1, desiredReplicas: 4 },
      { policy, reason: 'second', currentReplicas: 2, desiredReplicas: 4 },
    ]);
  });

  it('need no payload', async () => {
    await append('first', 'second');
    await change(`UPDATE ledger_entry SET packed = NULL WHERE ${ofStream()}`);
    expect(await summaries()).toMatchObject([{ reason: 'first' }, { reason: 'second' }]);
    expect(await summariesAt(1n, 2n)).toEqual(await summaries());
  });

  it('are read from the payload where a release before wrote it, or its text is long', async () => {
    const long = 'long '.repeat(100);
    const reasons = ['first', 'second', long, '\u0000', '\ud800', '\ud83d\ude80'];
    await append(...reasons);
    const before = await summaries();
    expect(before.map(({ reason }) => reason)).toEqual(reasons);
    await change(`UPDATE ledger_entry SET summary_id = NULL WHERE ${ofStream()} AND seq = 2`);
    // Neither is kept yet: each has been read once.
    expect(await summaries()).toEqual(before);
    expect(await summariesAt(1n, 2n, 3n, 4n, 5n, 6n)).toEqual(before);
  });

  it('are gone where their payloads are deleted', async () => {
    await append('first', 'second');
    await change(`UPDATE ledger_entry SET payload_hash = hash WHERE ${ofStream()} AND seq = 1`);
    expect(await summariesAt(1n, 2n)).toMatchObject([{ reason: 'second' }]);
  });
});
