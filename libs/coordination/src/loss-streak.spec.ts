import { describe, expect, it } from '@jest/globals';
import { afterLoss, type LossStreak } from './loss-streak.ts';

const terms = { leaseDurationMilliseconds: 15_000 };

/** For how long each of so many losses holds a replica back, a minute after the one before has. */
function waitsOf(losses: number, random: number): readonly number[] {
  const waits: number[] = [];
  let streak: LossStreak | null = null;
  let now = 0;
  while (waits.length < losses) {
    streak = afterLoss(streak, { now, terms, random });
    waits.push(streak.until - now);
    now = streak.until + 60_000;
  }
  return waits;
}

describe('a replica that loses what it holds', () => {
  it('is held back by nothing after the first loss, and by twice as much after each further one, up to ten Leases', () => {
    expect(waitsOf(7, 0.999_999_999).map(Math.round)).toEqual([
      0, 15_000, 30_000, 60_000, 120_000, 150_000, 150_000,
    ]);
  });

  it('is held back by half of that at least, so that two do not come back together', () => {
    expect(waitsOf(6, 0)).toEqual([0, 7_500, 15_000, 30_000, 60_000, 75_000]);
  });

  it('begins anew once it has kept what it holds for twenty Leases', () => {
    const streak = { losses: 4, until: 1_000 };
    const at = (now: number): number => afterLoss(streak, { now, terms, random: 0 }).losses;
    expect([at(300_999), at(301_000)]).toEqual([5, 1]);
  });
});
