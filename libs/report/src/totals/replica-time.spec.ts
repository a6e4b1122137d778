import { describe, expect, it } from '@jest/globals';
import { type ReplicaSpan, ReplicaTime } from './replica-time.ts';

const minute = 60_000;

function spansOf(feed: (time: ReplicaTime) => void, since: number | null = null): readonly string[] {
  const spans: ReplicaSpan[] = [];
  feed(new ReplicaTime((span) => spans.push(span), since));
  return spans.map(({ from, until, replicas }) => `${from / minute}-${until / minute}: ${replicas ?? '?'}`);
}

describe('ReplicaTime', () => {
  const cases: readonly {
    name: string;
    feed: (time: ReplicaTime) => void;
    since?: number;
    want: string[];
  }[] = [
    {
      name: 'counts between two decisions that saw the same count',
      feed: (time) => {
        time.evidence(0, 4);
        time.evidence(10 * minute, 4);
      },
      want: ['0-10: 4'],
    },
    {
      name: 'counts with the count before an event up to it, and with the one after it from then on',
      feed: (time) => {
        time.evidence(0, 4);
        time.evidence(5 * minute, 4, 6);
        time.evidence(9 * minute, 6);
      },
      want: ['0-5: 4', '5-9: 6'],
    },
    {
      name: 'does not guess over a gap longer than a run, an interval and a minute',
      feed: (time) => {
        time.evidence(0, 4);
        time.evidence(16.25 * minute, 4);
        time.evidence(32.75 * minute, 4);
        time.interval(60);
        time.evidence(49.75 * minute, 4);
      },
      want: ['0-16.25: 4', '16.25-32.75: ?', '32.75-49.75: 4'],
    },
    {
      name: 'does not guess when a count changed that no event tells of',
      feed: (time) => {
        time.evidence(0, 4);
        time.evidence(5 * minute, 5, 6);
        time.evidence(6 * minute, 6);
      },
      want: ['0-5: ?', '5-6: 6'],
    },
    {
      name: 'counts a run from its first decision to its last',
      feed: (time) => {
        time.evidence(0, 4);
        time.evidence(minute, 4);
        time.repeated(15 * minute, 4);
      },
      want: ['0-1: 4', '1-15: 4'],
    },
    {
      name: 'accounts for nothing between a departure and a return',
      feed: (time) => {
        time.evidence(0, 4);
        time.leave(5 * minute);
        time.begin(50 * minute);
        time.evidence(51 * minute, 2);
        time.evidence(52 * minute, 2);
      },
      want: ['0-5: ?', '50-51: ?', '51-52: 2'],
    },
    {
      name: 'does not know what was before the first entry that retention left',
      feed: (time) => {
        time.evidence(30 * minute, 4);
        time.end(31 * minute);
      },
      since: 0,
      want: ['0-30: ?', '30-31: ?'],
    },
    {
      name: 'takes evidence of an earlier time than the last for no time at all',
      feed: (time) => {
        time.evidence(5 * minute, 4);
        time.evidence(3 * minute, 4);
        time.evidence(6 * minute, 4);
      },
      want: ['5-6: 4'],
    },
  ];
  it.each(cases)('$name', ({ feed, since, want }) => {
    expect(spansOf(feed, since ?? null)).toEqual(want);
  });
});
