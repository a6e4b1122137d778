export { defaultShardCount, shardOf } from './shard-of.ts';
