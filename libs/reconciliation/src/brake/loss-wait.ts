/** What one of several replicas knows of the others. */
export interface BrakeAmongReplicas {
  /** Whether this process records suspensions. */
  readonly isLeader: () => boolean;
  /** Within so long what others have seen is known here: no loss is written sooner. */
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
  /** Those that have targets of the source. */
  readonly shards: Iterable<number>;
}

/**
 * Whether a large loss waits until other targets of its source have been looked at. Of several replicas each has to live
 * for as long after the loss was first seen as it takes to look at its targets, and to tell of what they would lose: one
 * that ends before may have seen, and told of, too few of them.
 *
 * @param replicas undefined: one process decides all policies
 */
export function lossWaitOf(loss: SeenLoss, replicas: BrakeAmongReplicas | undefined): LossWait | null {
  const { since, now, intervalSeconds, shards } = loss;
  const look = Math.max((intervalSeconds * 1_000) / 2, replicas?.confirmationMilliseconds ?? 0);
  if (now - since < look) return { kind: 'TargetsUnseen' };
  if (replicas === undefined || now - since >= look + replicas.takeOverMilliseconds) return null;
  const hasLooked = (shard: number): boolean => {
    const holder = replicas.shardHolder(shard);
    if (holder === null) return false;
    const began = Math.max(since, now - holder.heldMilliseconds);
    return now - holder.silentMilliseconds - began >= look;
  };
  const unseen = [...shards].filter((shard) => !hasLooked(shard));
  return unseen.length === 0 ? null : { kind: 'ShardsUnseen', shards: unseen.sort((a, b) => a - b) };
}
