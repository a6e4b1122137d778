import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Moment } from '../ports/clock.port.ts';
import { Contest, type ContestState, contestWaitSeconds, describeContest } from './contest.ts';

const minute = 60_000;

function moment(now: number): Moment {
  return { time: new Date(Date.UTC(2026, 10, 20) + now).toISOString(), monotonicMilliseconds: now };
}

let contest: Contest;

beforeEach(() => {
  contest = new Contest();
});

/** We scale, and helm scales back. */
function reverse(now: number, { from = 4, to = 6, back = 4, manager = 'helm' } = {}): void {
  contest.note({ from, to, isOwn: true, manager: 'plimsoll' }, moment(now));
  contest.note({ from: to, to: back, isOwn: false, manager }, moment(now));
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
      contest.note({ from: 4, to: 6, isOwn: true, manager: 'plimsoll' }, moment(now));
      if (between === true) contest.note({ from: 6, to: 7, isOwn: false, manager: 'helm' }, moment(now));
      contest.note({ from: between === true ? 7 : 6, to: back, isOwn: false, manager: 'helm' }, moment(now));
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

describe('a contest that is restored', () => {
  /** The next process, whose clock that never goes back begins with 0. */
  function restart(now: number, clock = moment(now).time): Contest {
    const restored = new Contest();
    restored.restore(contest.recorded, { time: clock, monotonicMilliseconds: 0 });
    return restored;
  }

  it('is as old as it was, and ends when it would have', () => {
    for (const now of [0, 1, 2]) reverse(now * minute);
    const restored = restart(12 * minute);
    expect(restored.at(0)).toEqual({ manager: 'helm', reversals: 3, lastAt: -10 * minute });
    expect(restored.at(50 * minute - 1)?.reversals).toBe(3);
    expect(restored.at(50 * minute)).toBeNull();
  });

  it('counts the reversals before it', () => {
    for (const now of [0, 1]) reverse(now * minute);
    contest = restart(9 * minute);
    reverse(0);
    expect(contest.at(0)?.reversals).toBe(3);
  });

  it('does not count reversals that are too long ago', () => {
    for (const now of [0, 1]) reverse(now * minute);
    contest = restart(11 * minute);
    reverse(0);
    expect(contest.at(0)).toBeNull();
  });

  it('lasts no longer than an hour where the clock was set back', () => {
    for (const now of [0, 1, 2]) reverse(now * minute);
    const restored = restart(0, moment(-600 * minute).time);
    expect(restored.at(0)?.lastAt).toBe(0);
  });

  it('does not count a change of the HPA again that is not corrected yet', () => {
    contest.noteDrift('edited', 'helm', moment(0));
    contest = restart(minute);
    for (const now of [0, 1]) contest.noteDrift('edited', 'helm', moment(now));
    expect(contest.recorded?.reversedAt).toHaveLength(1);
  });

  it('does not count further changes of an HPA that is not corrected yet, nor let them put the correction off', () => {
    for (const now of [0, 1, 2]) {
      contest.noteDrift(`edited ${now}`, 'helm', moment(now));
      if (now < 2) contest.endDrift();
    }
    expect(contest.at(2)).toEqual({ manager: 'helm', reversals: 3, lastAt: 2 });
    contest.noteDrift('edited again', 'argocd', moment(minute));
    expect(contest.at(minute)).toEqual({ manager: 'argocd', reversals: 3, lastAt: 2 });
  });

  it('is recorded as one object until it changes', () => {
    expect(contest.recorded).toBeNull();
    reverse(0);
    const { recorded } = contest;
    contest.at(minute);
    expect(contest.recorded).toBe(recorded);
    reverse(minute);
    expect(contest.recorded).not.toEqual(recorded);
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

it.each([
  { contested: 'Scale', cure: 'let one of the two set spec.replicas: leave it out of what helm applies' },
  { contested: 'Hpa', cure: 'stop what applies the HPA' },
] as const)('describes who contests and the cure: $contested', ({ contested, cure }) => {
  expect(describeContest({ manager: 'helm', reversals: 3, lastAt: 0 }, contested)).toBe(
    `3 writes of Plimsoll were undone, the last by helm; ${cure}, or disable the policy`,
  );
});
