import type { NamespacedName } from '#kernel';

/** Which shard a policy belongs to, and whether it may be written for now. */
export interface ShardsPort {
  /** From 0. */
  shardOf(policy: NamespacedName): number;
  /** Whether this process may write to Kubernetes for the policy: it holds the shard, and has time left. */
  mayWrite(policy: NamespacedName): boolean;
}
