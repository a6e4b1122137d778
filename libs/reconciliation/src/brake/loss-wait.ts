import type { SourceTargets } from './count-targets.ts';

/** What one of several replicas knows of the others. */
export interface BrakeAmongReplicas {
  /** Whether this process records suspensions. */
  readonly isLeader: () => boolean;
  /** Within so long after others have looked at a target it is known here what they saw. */
  readonly confirmationMilliseconds: number;
  /**
   * For so long more a loss waits for shards that no live replica holds. One that none can take must not stop a fleet for
   * ever.
   */
  readonly takeOverMilliseconds: number;
  /** Null: none is known to hold it. */
  readonly shardHolder: (shard: number) => SeenHolder | null;
}

/** The replica that holds a shard, as far as this process knows. */
export interface SeenHolder {
  /** For how long it has looked at the shard's policies. */
  readonly heldMilliseconds: number;
  /** How long ago it was seen to live; of this process 0. */
  readonly silentMilliseconds: number;
}

/** Why a large loss is not written yet. */
export type LossWait =
  /** Other targets of the source were not looked at yet. */
  | { readonly kind: 'TargetsUnseen' }
  /** All of them together lose too much, and the suspension that the leader records is not known here yet. */
  | { readonly kind: 'SuspensionAwaited' }
  /** No live replica is known to have looked at these shards, in order, which have targets of the source. */
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
const longestAwaitedSeconds = 60;

/** A pass that has begun has seen what its target would lose within so long. */
const passMilliseconds = 3_000;

/**
 * Whether a large loss waits until other targets of its source have been looked at. Of several replicas each has to live
 * for as long after the loss was first seen as it takes to look at its targets, and to tell of what they would lose: one
 * that ends before may have seen, and told of, too few of them.
 *
 * @param replicas undefined: one process decides all policies
 */
export function lossWaitOf(loss: SeenLoss, replicas: BrakeAmongReplicas | undefined): LossWait | null {
  const { since, now, targets } = loss;
  const look = lookMillisecondsOf(loss, replicas);
  if (now - since < look) return { kind: 'TargetsUnseen' };
  if (replicas === undefined || now - since >= look + replicas.takeOverMilliseconds) return null;
  const hasLooked = (shard: number): boolean => {
    const holder = replicas.shardHolder(shard);
    if (holder === null) return false;
    const began = Math.max(since, now - holder.heldMilliseconds);
    return now - holder.silentMilliseconds - began >= look;
  };
  const unseen = [...targets.shards].filter((shard) => !hasLooked(shard));
  return unseen.length === 0 ? null : { kind: 'ShardsUnseen', shards: unseen.sort((a, b) => a - b) };
}

/**
 * Within so long after a source went wrong each of its targets is looked at, and what is seen is known here. A process
 * looks at all policies of one interval within half of it. Those of other intervals have a place of their own in time,
 * and so has another process: it may come to them an interval later.
 */
function lookMillisecondsOf(
  { intervalSeconds, targets }: SeenLoss,
  replicas: BrakeAmongReplicas | undefined,
): number {
  const { shortestIntervalSeconds, longestIntervalSeconds } = targets;
  if (replicas === undefined && shortestIntervalSeconds === longestIntervalSeconds)
    return (intervalSeconds * 1_000) / 2;
  const longest = Math.max(intervalSeconds, Math.min(longestIntervalSeconds, longestAwaitedSeconds));
  return longest * 1_000 + (replicas?.confirmationMilliseconds ?? passMilliseconds);
}
