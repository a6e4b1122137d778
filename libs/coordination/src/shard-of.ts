import { type NamespacedName, namespacedName, spreadOf } from '#kernel';

/** Enough for each of eight replicas to hold two, and few enough that their fences cost nothing. */
export const defaultShardCount = 16;

/** Each is a Lease that its holder renews every other second: 32 requests per second at the API server. */
export const maximumShardCount = 64;

/** The shard of a policy, from 0; each shard has about as many policies as any other. */
export function shardOf(policy: NamespacedName, shardCount: number): number {
  return Math.floor(spreadOf(namespacedName(policy)) * shardCount);
}
