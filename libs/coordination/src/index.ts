export {
  afterAttempt,
  type AnnouncedDuration,
  type Attempt,
  type AttemptMoment,
  believedMilliseconds,
  type Election,
  expiredHolders,
  isPastDeadline,
  lastingMilliseconds,
  observeLease,
  openElection,
  opensAt,
  planAttempt,
  planRelease,
  type Victory,
} from './election.ts';
export { type Distribution, openPlaces, surplusShards } from './even-share.ts';
export type { LeasePort, LeaseRecord, LeaseVerb, LeaseWrite, StoredLease } from './lease.port.ts';
export { type LeaseTerms, retryMilliseconds } from './lease-terms.ts';
export { afterLoss, type LossStreak } from './loss-streak.ts';
export { nextScopePhase, type ScopeEvent, type ScopePhase } from './scope-protocol.ts';
export { defaultShardCount, maximumShardCount, shardOf } from './shard-of.ts';
export { mayWrite, type Renewals } from './write-right.ts';
