import { z } from 'zod';
import { component, jsonObject, timeText, type WireOf } from '../component.ts';
import { commitSchema } from './commit.ts';

/** The name of a source. */
export const sourceNameText = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'the name of a source: lower-case letters, digits and -');

const holdCause = component(
  'HoldCause',
  'Why something is held.',
  z.object({
    code: z.string().describe('NotDescendant, Unverified, PruneToEmpty, BlastRadius, …'),
    message: z.string(),
    items: z.array(z.string()).describe('What it is about: policies, commits, bounds with from → to.'),
  }),
);

const holdEffect = component(
  'HoldEffect',
  'What would change of what is in force if a hold, and nothing else, were out of the way.',
  z.object({
    added: z.int(),
    changed: z.int(),
    removed: z.int(),
    policies: z.array(z.string()).describe('At most 200: `shop/c changed: maxReplicas 20 → 5`.'),
  }),
);

/** A result that waits for a person. */
export const holdSchema = component(
  'Hold',
  'A result that waits for a person. An approval is for exactly its digest.',
  z.object({
    source: z.string(),
    digest: z.string(),
    tenant: z.string().nullable().describe('The tenant that is held; null: the whole source.'),
    commit: z.string(),
    since: timeText,
    isRejected: z
      .boolean()
      .describe('An approver rejected it: another person may approve it, or another commit replace it.'),
    causes: z.array(holdCause),
    effect: holdEffect.nullable().describe('Null until the source is looked at after an upgrade.'),
  }),
);
export type Hold = WireOf<typeof holdSchema>;

/** What a look at a source came to. */
export const syncResultSchema = component(
  'SyncResult',
  'What a look at a source, or what was asked of it, came to.',
  z.object({
    source: z.string(),
    result: z.enum(['active', 'partial', 'held', 'rejected', 'failed', 'unchanged']),
    message: z.string(),
    commit: commitSchema.nullable(),
    holds: z.array(holdSchema),
  }),
);
export type SyncResult = WireOf<typeof syncResultSchema>;

const by = { by: z.string(), reason: z.string(), time: timeText };

/** A repository that policies come from. */
export const sourceSchema = component(
  'Source',
  'A repository that policies come from.',
  z.object({
    name: z.string(),
    url: z.string().describe('Without credentials.'),
    ref: z.string(),
    commit: commitSchema.nullable().describe('The newest commit of which anything is in force.'),
    holds: z.array(holdSchema),
    pin: z
      .object({ commit: z.string(), ...by })
      .nullable()
      .describe('The revision it was rolled back to; null: it follows its ref.'),
    released: z.array(z.object({ policy: z.string(), ...by })).describe('Policies released by name.'),
    lastSyncTime: timeText.nullable().describe('When it was looked at last.'),
    lastSync: syncResultSchema.nullable(),
    staleSince: timeText.nullable().describe('Since when every look has failed; null: the last one worked.'),
  }),
);
export type Source = WireOf<typeof sourceSchema>;

/** What one commit of a source went through. */
export const revisionSchema = component(
  'Revision',
  'What one commit of a source went through.',
  z.object({
    source: z.string(),
    commit: commitSchema,
    outcome: z.string().describe('active, held or rejected.'),
    message: z.string(),
    fetchedAt: timeText,
    finishedAt: timeText,
    details: jsonObject.describe(
      'Author, committer, message, parents, signatures, timings, tenants, diagnostics, holds, counts.',
    ),
  }),
);
export type Revision = WireOf<typeof revisionSchema>;
