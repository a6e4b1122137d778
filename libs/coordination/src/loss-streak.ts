import type { LeaseTerms } from './lease-terms.ts';

/** Losses of what a replica held, each soon after the one before: what has caused them has to be expected again. */
export interface LossStreak {
  /** How many, from 1. */
  readonly losses: number;
  /** Until when others are to take its shards, by its monotonic clock, in milliseconds. */
  readonly until: number;
}

/** What a streak goes on by. */
export interface LossMoment {
  /** By the replica's monotonic clock, in milliseconds. */
  readonly now: number;
  readonly terms: Pick<LeaseTerms, 'leaseDurationMilliseconds'>;
  /** In [0, 1). */
  readonly random: number;
}

/** Two and a half minutes by default; the least of it is half. */
const longestLeases = 10;

/** A replica that has kept what it holds for so long begins anew: five minutes by default. */
const steadyLeases = 20;

/**
 * Takes in a loss. The first of a streak holds nothing back, as an ordinary restart of an API server. The second does for
 * one Lease duration, and each further one for twice as long as the one before, up to ten; of each, between half and all.
 *
 * @example the third loss, Leases of 15 s, random 0.5: 30 s × 0.75 = 22.5 s from now
 */
export function afterLoss(streak: LossStreak | null, { now, terms, random }: LossMoment): LossStreak {
  const lease = terms.leaseDurationMilliseconds;
  const isAnother = streak !== null && now - streak.until < steadyLeases * lease;
  if (!isAnother) return { losses: 1, until: now };
  const leases = Math.min(2 ** (streak.losses - 1), longestLeases);
  return { losses: streak.losses + 1, until: now + leases * lease * (0.5 + random / 2) };
}
