import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { EntryPage } from '#ledger';
import { LongReads } from './long-reads.ts';

const read = { kind: 'ScalingEvent', maximum: 20, perRead: 10 } as const;

describe('questions that look through many entries', () => {
  it('are answered a few at a time, however many callers ask', async () => {
    const owed: (() => void)[] = [];
    const reads = new LongReads({
      entries: () =>
        new Promise<EntryPage>((resolve) => void owed.push(() => resolve({ items: [], hasMore: false }))),
    });
    let answered = 0;
    const all = Array.from({ length: 100 }, async () => {
      await reads.each(read, () => undefined);
      answered += 1;
    });
    let most = 0;
    while (answered < all.length) {
      await setImmediate();
      most = Math.max(most, owed.length);
      owed.shift()?.();
    }
    expect(most).toBe(2);
  });
});
