import { beforeEach, describe, expect, it } from '@jest/globals';
import { Contest, type ContestState, contestWaitSeconds, describeContest } from './contest.ts';

const minute = 60_000;
let contest: Contest;

beforeEach(() => {
  contest = new Contest();
});

/** We scale, and helm scales back. */
function reverse(now: number, { from = 4, to = 6, back = 4, manager = 'helm' } = {}): void {
  contest.note({ from, to, isOwn: true, manager: 'plimsoll' }, now);
  contest.note({ from: to, to: back, isOwn: false, manager }, now);
}

describe('Contest', () => {
  it('begins with the third reversal within ten minutes, and names who undid it', () => {
    for (const now of [0, minute]) reverse(now);
    expect(contest.at(minute)).toBeNull();
    reverse(2 * minute, { manager: 'argocd' });
    expect(contest.at(2 * minute)).toEqual({ manager: 'argocd', reversals: 3, lastAt: 2 * minute });
  });

  it('does not begin with reversals that are further apart', () => {
    for (const now of [0, 5, 10, 15, 20]) reverse(now * minute);
    expect(contest.at(20 * minute)).toBeNull();
  });

  it.each([
    { name: 'goes on in our direction', back: 8 },
    { name: 'is of another count', between: true, back: 4 },
  ])('does not count a change that $name', ({ back, between }) => {
    for (const now of [0, 1, 2, 3]) {
      contest.note({ from: 4, to: 6, isOwn: true, manager: 'plimsoll' }, now);
      if (between === true) contest.note({ from: 6, to: 7, isOwn: false, manager: 'helm' }, now);
      contest.note({ from: between === true ? 7 : 6, to: back, isOwn: false, manager: 'helm' }, now);
    }
    expect(contest.at(3)).toBeNull();
  });

  it('counts a write that is undone in part, in either direction', () => {
    for (const now of [0, 1, 2]) reverse(now, { from: 6, to: 3, back: 4 });
    expect(contest.at(2)?.reversals).toBe(3);
  });

  it('ends an hour after the last reversal, and begins anew with three', () => {
    for (const now of [0, 1, 2]) reverse(now);
    reverse(30 * minute);
    expect(contest.at(90 * minute - 1)?.reversals).toBe(4);
    expect(contest.at(90 * minute)).toBeNull();
    reverse(91 * minute);
    expect(contest.at(91 * minute)).toBeNull();
  });
});

describe('contestWaitSeconds', () => {
  const state = (reversals: number): ContestState => ({ manager: 'helm', reversals, lastAt: 0 });

  it.each([
    { reversals: 3, down: 60, up: 60 },
    { reversals: 4, down: 120, up: 60 },
    { reversals: 5, down: 240, up: 60 },
    { reversals: 6, down: 300, up: 60 },
    { reversals: 50, down: 300, up: 60 },
  ])('is $down s down and $up s up after $reversals reversals', ({ reversals, down, up }) => {
    expect(contestWaitSeconds(state(reversals), 'Down', 0)).toBe(down);
    expect(contestWaitSeconds(state(reversals), 'Up', 0)).toBe(up);
  });

  it('runs out', () => {
    expect(contestWaitSeconds(state(4), 'Down', 119_001)).toBe(1);
    expect(contestWaitSeconds(state(4), 'Down', 120_000)).toBe(0);
  });
});

it('describes who contests and the cure', () => {
  expect(describeContest({ manager: 'helm', reversals: 3, lastAt: 0 })).toBe(
    '3 writes of Plimsoll were undone, the last by helm; let one of the two set spec.replicas: leave it out of what helm applies, or disable the policy',
  );
});
