import { describe, expect, it } from '@jest/globals';
import type { StreamHead } from '../entries/entry.ts';
import { type LostEntries, StoredHeads } from './stored-heads.ts';

const head = (seq: bigint, hash = `hash ${seq}`, stream = 'policy:shop/cart'): StreamHead => ({
  stream,
  seq,
  hash,
});

describe('StoredHeads', () => {
  it.each([
    { name: 'has what was stored', found: head(4n), want: false },
    { name: 'was gone on with', found: head(5n), want: false },
    { name: 'ends before it', found: head(3n), want: true },
    { name: 'has another entry of its number', found: head(4n, 'other'), want: true },
    { name: 'is another', found: head(1n, 'hash 1', 'sync'), want: false },
  ])('tells once that a stream has lost entries, not one that $name: $want', ({ found, want }) => {
    const lost: LostEntries[] = [];
    const heads = new StoredHeads((each) => lost.push(each));
    heads.note([head(3n), head(4n)]);
    for (let time = 0; time < 2; time += 1) heads.compare([found]);
    expect(lost).toEqual(want ? [{ stored: head(4n), found }] : []);
  });

  it('compares all of them with what is found, and not with what is stored while they are read', async () => {
    const lost: LostEntries[] = [];
    const heads = new StoredHeads((each) => lost.push(each));
    heads.note([head(2n, 'two', 'admin'), head(4n), head(1n, 'one', 'sync')]);
    const found: Record<string, StreamHead> = {
      admin: head(1n, 'one', 'admin'),
      'policy:shop/cart': head(4n),
      sync: head(0n, 'none', 'sync'),
    };
    await heads.compareAll((streams) => {
      heads.note([head(5n)]);
      return Promise.resolve(streams.map((stream) => found[stream]!));
    });
    expect(lost.map(({ stored, found: { seq } }) => [stored.stream, stored.seq, seq])).toEqual([
      ['admin', 2n, 1n],
      ['sync', 1n, 0n],
    ]);
  });
});
