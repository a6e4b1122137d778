import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type ChainedEntry, chainEntries } from '#ledger';
import { aDecisionDraft } from '../../../../test/support/ledger-builders.ts';
import { LedgerFeed } from './ledger-feed.ts';

function decisions(count: number): readonly ChainedEntry[] {
  const drafts = Array.from({ length: count }, (_, index) => aDecisionDraft({ reason: `${index}` }));
  const chained = chainEntries({ cluster: 'test', heads: new Map(), drafts });
  if (!chained.ok) throw new Error(chained.error.code);
  return chained.value.entries;
}

describe('LedgerFeed', () => {
  it('passes entries on in their order, after the append, to who listens', async () => {
    const feed = new LedgerFeed();
    const heard: bigint[] = [];
    const end = feed.subscribe({
      kind: 'Decision',
      onEntry: ({ seq }) => void heard.push(seq),
      onLost: () => undefined,
    });
    feed.publish(decisions(12));
    expect(heard).toEqual([]);
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    expect(heard).toEqual(Array.from({ length: 12 }, (_, index) => BigInt(index + 1)));
    end();
    feed.publish(decisions(1));
    await setImmediate();
    expect(heard).toHaveLength(12);
  });

  it('says that entries were left out where more wait than it holds', () => {
    const feed = new LedgerFeed();
    let losses = 0;
    feed.subscribe({ kind: 'Decision', onEntry: () => undefined, onLost: () => void (losses += 1) });
    const some = decisions(4_000);
    for (let batch = 0; batch < 6; batch += 1) feed.publish(some);
    expect(losses).toBe(1);
  });
});
