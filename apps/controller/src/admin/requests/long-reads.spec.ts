import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { EntryOf, EntryPage } from '#ledger';
import { anEventDraft } from '../../../../../test/support/ledger-builders.ts';
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

  it('read no page more once who asked has left, and give up their place', async () => {
    const left = new AbortController();
    let statements = 0;
    const entry = anEventDraft() as EntryOf<'ScalingEvent'>;
    const cursor = { timeNanoseconds: 1n, position: 1n };
    const reads = new LongReads({
      entries: () => {
        statements += 1;
        if (statements === 3) left.abort(new Error('left'));
        return Promise.resolve({ items: [{ entry, cursor }], hasMore: true });
      },
    });
    const unread = { ...read, maximum: 1_000 };
    await expect(reads.each(unread, () => undefined, left.signal)).rejects.toThrow('left');
    expect(statements).toBe(3);
    await expect(reads.each(unread, () => undefined, left.signal)).rejects.toThrow('left');
    expect(statements).toBe(3);
  });
});
