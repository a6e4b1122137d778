import { z } from 'zod';
import { component, type WireOf } from './component.ts';
import { reasonText } from './intervention.ts';

const url = z.string().nullable().describe('Where the others reach it; null: it does not say.');

const known = {
  knownFrom: z
    .enum(['Database', 'Leases', 'Process'])
    .describe(
      "Whose word who holds what is: the database's, and while that does not answer the Leases' or, without them, that of the process that answers.",
    ),
  asOf: z.string().describe('When that was so, RFC 3339.'),
};

/** A process that carries policies out. */
export const replicaSchema = component(
  'Replica',
  'A process that carries policies out.',
  z.object({
    id: z.string().describe('Made anew whenever a process starts.'),
    url,
    isLeader: z.boolean().describe('Whether it syncs the sources and takes what people ask for.'),
    isThis: z.boolean().describe('Whether it is the one that answers.'),
    aloneBecause: z
      .string()
      .nullable()
      .describe(
        'Why it carries out all policies by itself; null: it shares them, or it is not the one that answers.',
      ),
    shards: z.array(z.int().nonnegative()).describe('The shards that it holds.'),
    takesShards: z
      .boolean()
      .nullable()
      .describe(
        'Whether it takes its share of the shards: not where it could not begin, or keep, its own, nor while its database does not answer it; null: it holds something, and is not known to live.',
      ),
    version: z.string().nullable().describe('Its release; null: it does not say.'),
    since: z
      .string()
      .nullable()
      .describe('Since when it takes part, RFC 3339, by its own clock; null: it does not say.'),
    seenAt: z
      .string()
      .nullable()
      .describe(
        'When it said last that it lives, RFC 3339, as the one that answers saw it; null: it does not say.',
      ),
    ...known,
  }),
);
export type Replica = WireOf<typeof replicaSchema>;

/** A shard of the policies, and who holds it. */
export const shardSchema = component(
  'Shard',
  'A shard of the policies, and who holds it.',
  z.object({
    shard: z.int().nonnegative().describe('Which one, counted from 0.'),
    holder: z.string().nullable().describe('Id of a replica; null: none holds it now.'),
    url,
    since: z.string().nullable().describe('RFC 3339; null: none holds it, or it is not known.'),
    epoch: z
      .string()
      .nullable()
      .describe(
        'How often it was taken over; grows with every new holder. Null: only the database knows it.',
      ),
    ...known,
  }),
);
export type Shard = WireOf<typeof shardSchema>;

/** What is asked for by a change of the number of shards. */
export const shardCountRequestSchema = component(
  'ShardCountRequest',
  'Another number of shards.',
  z.strictObject({
    count: z.int().describe('How many there are to be, 1 to 64.'),
    reason: reasonText.optional(),
  }),
);

/** What a change of the number of shards came to. */
export const shardCountsSchema = component(
  'ShardCounts',
  'Over how many shards the policies are spread.',
  z.object({
    count: z.int().positive().describe('How many there are now.'),
    before: z.int().positive().describe('How many there were.'),
  }),
);
export type ShardCounts = WireOf<typeof shardCountsSchema>;
