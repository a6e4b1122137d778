import { orPreview } from '../resources/action-effect.ts';
import {
  replicaSchema,
  shardCountRequestSchema,
  shardCountsSchema,
  shardSchema,
} from '../resources/replica.ts';
import { action, list, rehearsalQuery } from './operation.ts';

/** Who holds what, and over how many shards the policies are spread. */
export const replicaOperations = {
  listReplicas: list({
    id: 'listReplicas',
    path: '/replicas',
    tag: 'Replicas',
    summary: 'The processes that carry policies out, by id.',
    answer: replicaSchema,
  }),
  listShards: list({
    id: 'listShards',
    path: '/shards',
    tag: 'Replicas',
    summary: 'The shards of the policies, and who holds each since when, by number.',
    answer: shardSchema,
  }),
  changeShardCount: action({
    id: 'changeShardCount',
    path: '/shard-count',
    tag: 'Replicas',
    summary: 'Spreads the policies over another number of shards; for some seconds no policy is decided.',
    role: 'admin',
    query: rehearsalQuery,
    body: shardCountRequestSchema,
    answer: orPreview(shardCountsSchema),
  }),
} as const;
