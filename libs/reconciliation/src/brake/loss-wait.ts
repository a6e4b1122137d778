import type { SourceTargets } from './count-targets.ts';

/** What one of several replicas knows of the others. */
export interface BrakeAmongReplicas {
  /** Whether this process records suspensions. */
  readonly isLeader: () => boolean;
  /**
   * For so long more a loss waits for shards of which nobody has stored what is to be known. One that none can take, or
   * whose holder stores nothing, must not stop a fleet for ever.
   */
  readonly takeOverMilliseconds: number;
  /** For how long this process has carried out a shard's policies; null: it does not. */
  readonly carriedOutMilliseconds: (shard: number) => number | null;
}

/**
 * A stretch of time in which the holder of a shard has looked at its targets, each at least once per interval. What it
 * has counted at the end of it is known here.
 */
export interface ShardLook {
  readonly lookedMilliseconds: number;
  /** How long ago it ended: whether the holder has looked since, and what it has seen, is not known here. */
  readonly silentMilliseconds: number;
}

/** Why a large loss is not written yet. */
export type LossWait =
  /** Other targets of the source were not looked at yet. */
  | { readonly kind: 'TargetsUnseen' }
  /** All of them together lose too much, and the suspension that the leader records is not known here yet. */
  | { readonly kind: 'SuspensionAwaited' }
  /** It is not known here what has been seen of these shards since, in order, which have targets of the source. */
  | { readonly kind: 'ShardsUnseen'; readonly shards: readonly number[] };

/** A large loss of one target by one source. */
interface SeenLoss {
  /** When it was first seen, by a clock in milliseconds that never goes back. */
  readonly since: number;
  readonly now: number;
  /** Of the target's policy. */
  readonly intervalSeconds: number;
  /** Of the source. */
  readonly targets: Omit<SourceTargets, 'count'>;
}

/** Policies that are looked at more rarely are not waited for: one of them must not hold up all others. */
export const longestAwaitedSeconds = 60;

/** A pass that has begun has seen what its target would lose within so long. */
const passMilliseconds = 3_000;

/** What one of several replicas knows of the looks at the targets of a source. */
interface KnownLooks extends Pick<BrakeAmongReplicas, 'takeOverMilliseconds'> {
  /** At its targets of a shard, by this process and by those that held it before or hold it elsewhere. */
  readonly looksAt: (shard: number) => readonly ShardLook[];
}

/**
 * Whether a large loss waits until other targets of its source have been looked at. Of each shard it has to be known what
 * its holder counted after it has looked, since the loss was first seen, for as long as it takes to look at all of its
 * targets. That a holder lives says nothing: it may have ended before it looked, and what it has counted may be on its
 * way to a database that answers slowly.
 *
 * @param replicas undefined: one process decides all policies
 */
export function lossWaitOf(loss: SeenLoss, replicas: KnownLooks | undefined): LossWait | null {
  const { since, now, targets } = loss;
  const look = lookMillisecondsOf(loss, replicas !== undefined);
  if (now - since < look) return { kind: 'TargetsUnseen' };
  if (replicas === undefined || now - since >= look + replicas.takeOverMilliseconds) return null;
  const isLongEnough = ({ lookedMilliseconds, silentMilliseconds }: ShardLook): boolean =>
    Math.min(lookedMilliseconds, now - silentMilliseconds - since) >= look;
  const unseen = [...targets.shards].filter((shard) => !replicas.looksAt(shard).some(isLongEnough));
  return unseen.length === 0 ? null : { kind: 'ShardsUnseen', shards: unseen.sort((a, b) => a - b) };
}

/** Whether the holder of a shard has had the time to look at all of its targets of a source. */
export function hasLookedAtAll(
  { lookedMilliseconds }: Pick<ShardLook, 'lookedMilliseconds'>,
  targets: Omit<SourceTargets, 'count'>,
): boolean {
  return lookedMilliseconds >= lookMillisecondsOf({ intervalSeconds: 0, targets }, true);
}

/**
 * Within so long after a source went wrong each of its targets is looked at. A process looks at all policies of one
 * interval within half of it. Those of other intervals have a place of their own in time, and so has another process: it
 * may come to them an interval later.
 */
function lookMillisecondsOf(
  { intervalSeconds, targets }: Pick<SeenLoss, 'intervalSeconds' | 'targets'>,
  isShared: boolean,
): number {
  const { shortestIntervalSeconds, longestIntervalSeconds } = targets;
  if (!isShared && shortestIntervalSeconds === longestIntervalSeconds) return (intervalSeconds * 1_000) / 2;
  const longest = Math.max(intervalSeconds, Math.min(longestIntervalSeconds, longestAwaitedSeconds));
  return longest * 1_000 + passMilliseconds;
}
