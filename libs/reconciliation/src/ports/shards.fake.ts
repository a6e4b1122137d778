import type { NamespacedName } from '#kernel';
import type { ShardsPort } from './shards.port.ts';

/** Shards by the first letters of policies' names; writes may be forbidden. */
export class FakeShards implements ShardsPort {
  /** The shard of names that begin with a text; all others are of shard 0. */
  readonly byPrefix = new Map<string, number>();
  isWriting = true;

  shardOf({ name }: NamespacedName): number {
    for (const [prefix, shard] of this.byPrefix) if (name.startsWith(prefix)) return shard;
    return 0;
  }

  mayWrite(): boolean {
    return this.isWriting;
  }
}
