import { describe, expect, it } from '@jest/globals';
import { type HeldShard, holdingsOf } from './shard-holdings.ts';

const [first, later] = ['2026-11-23T03:12:07.100Z', '2026-11-23T04:00:00.000Z'];

function aShard(shard: number, given: Partial<HeldShard> = {}): HeldShard {
  return { shard, holder: 'one', since: first, epoch: '1', ...given };
}

describe('what a replica holds', () => {
  it.each([
    { name: 'nothing', given: [aShard(0, { holder: 'other' })], want: [] },
    {
      name: 'what it took within a second, as one',
      given: [aShard(0, { since: '2026-11-23T03:12:07.900Z' }), aShard(1), aShard(2, { holder: 'other' })],
      want: [{ shards: [0, 1], since: first, epochs: ['1'] }],
    },
    {
      name: 'what it took over later by itself, with its epoch',
      given: [aShard(3, { since: later, epoch: '2' }), aShard(5)],
      want: [
        { shards: [5], since: first, epochs: ['1'] },
        { shards: [3], since: later, epochs: ['2'] },
      ],
    },
    {
      name: 'what it holds since an unknown time',
      given: [aShard(0, { since: null })],
      want: [{ shards: [0], since: null, epochs: ['1'] }],
    },
  ])('is $name', ({ given, want }) => {
    expect(holdingsOf('one', given)).toEqual(want);
  });

  it('is of none where no replica holds it', () => {
    const [holding] = holdingsOf(null, [aShard(0), aShard(1, { holder: null, since: null })]);
    expect(holding?.shards).toEqual([1]);
  });
});
