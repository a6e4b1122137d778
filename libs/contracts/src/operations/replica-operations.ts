import { list } from '../operation.ts';
import { replicaSchema, shardSchema } from '../resources/replica.ts';

/** Who holds what. */
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
} as const;
