import { z } from 'zod';
import { commitSchema } from './commit.ts';
import { component, jsonObject, timeText, type WireOf } from './component.ts';

/** The name of a source. */
export const sourceNameText = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    'the name of a source: 1 to 63 lower-case letters, digits and -',
  );

const holdCause = component(
  'HoldCause',
  'Why something is held.',
  z.object({
    code: z.string().describe('NotDescendant, Unverified, PruneToEmpty, BlastRadius, …'),
    message: z.string().describe('The same in a sentence, with the figures in it.'),
    items: z.array(z.string()).describe('What it is about: policies, commits, bounds with from → to.'),
  }),
);

const holdEffect = component(
  'HoldEffect',
  'What would change of what is in force if a hold, and nothing else, were out of the way.',
  z.object({
    added: z.int().describe('Policies that would come into force.'),
    changed: z.int().describe('Policies that would be in force otherwise than now.'),
    removed: z.int().describe('Policies that would leave.'),
    policies: z.array(z.string()).describe('At most 200: `shop/c changed: maxReplicas 20 → 5`.'),
  }),
);

const by = {
  by: z.string().describe('The person or token that did it.'),
  reason: z.string().describe('What that person wrote, for the readers of the ledger.'),
  time: timeText.describe('When it was done, RFC 3339.'),
};

/** A result that waits for a person. */
export const holdSchema = component(
  'Hold',
  'A result that waits for a person. An approval is for exactly its digest.',
  z.object({
    source: z.string().describe('The repository whose commit it is about, as the configuration names it.'),
    digest: z.string().describe('Names exactly this result, in the paths of approve and reject.'),
    tenant: z.string().nullable().describe('The tenant that is held; null: the whole source.'),
    commit: z.string().describe('The full object name of what would come into force.'),
    since: timeText.describe('When it was first held, RFC 3339.'),
    isRejected: z
      .boolean()
      .describe('An approver rejected it: another person may approve it, or another commit replace it.'),
    rejection: z
      .object(by)
      .nullable()
      .describe('Who rejected it; null: nobody did, or before an upgrade and it was not looked at since.'),
    causes: z.array(holdCause).describe('Everything that a person is asked about.'),
    effect: holdEffect.nullable().describe('Null until the source is looked at after an upgrade.'),
  }),
);
export type Hold = WireOf<typeof holdSchema>;

/** A hold, as their list has it. */
export const listedHoldSchema = component(
  'ListedHold',
  'A hold, and what would follow of its approval later on.',
  holdSchema.extend({
    later: z
      .array(z.string())
      .describe(
        'Counts that would follow later if it were approved now: `shop/c: 40 → 10 when the suspension by ann ends, …`.',
      ),
  }),
);
export type ListedHold = WireOf<typeof listedHoldSchema>;

/** What a look at a source came to. */
export const syncResultSchema = component(
  'SyncResult',
  'What a look at a source, or what was asked of it, came to.',
  z.object({
    source: z.string().describe('The repository, as the configuration names it.'),
    result: z
      .enum(['active', 'partial', 'held', 'rejected', 'failed', 'unchanged'])
      .describe(
        'active: the commit is in force. partial: for some tenants. held: a person must approve it. rejected: its documents have errors. failed: the repository could not be read. unchanged: it was judged before, with the same result; the message says so where it is not in force (`still held: …`), and who rejected it.',
      ),
    message: z.string().describe('What it came to, in a sentence.'),
    errors: z
      .array(z.string())
      .describe(
        'The first ten errors of its documents, causes before what follows from them: `shop/c.yaml:2:7: UnknownKind: …`. Its revision has all of them.',
      ),
    commit: commitSchema.nullable().describe('What was looked at; null: nothing could be read.'),
    holds: z.array(holdSchema).describe('What waits for an approval afterwards, or was rejected.'),
  }),
);
export type SyncResult = WireOf<typeof syncResultSchema>;

/** A repository that policies come from. */
export const sourceSchema = component(
  'Source',
  'A repository that policies come from.',
  z.object({
    name: z.string().describe('What the configuration calls it.'),
    url: z.string().describe('Where the repository is, without credentials.'),
    ref: z.string().describe('The branch or tag that is followed.'),
    commit: commitSchema.nullable().describe('The newest commit of which anything is in force.'),
    holds: z.array(holdSchema).describe('What waits for an approval, or was rejected.'),
    notVisibleHoldCount: z
      .int()
      .nonnegative()
      .describe(
        'How many more wait that change policies which the caller may view, or may, and that the caller may not see whole: notVisibleHolds of a policy has what they do to it.',
      ),
    pin: z
      .object({ commit: z.string().describe('The full object name of what is in force since.'), ...by })
      .nullable()
      .describe('The revision it was rolled back to; null: it follows its ref.'),
    released: z
      .array(z.object({ policy: z.string().describe('Which one, as NAMESPACE/NAME.'), ...by }))
      .describe('Policies that were taken out of force by name, and stay out until they are resumed.'),
    lastSyncTime: timeText.nullable().describe('When it was looked at last, RFC 3339; null: not yet.'),
    lastSync: syncResultSchema
      .nullable()
      .describe('What the last look, or a rollback since, came to; null: there was no look yet.'),
    staleSince: timeText.nullable().describe('Since when every look has failed; null: the last one worked.'),
    viewerRoles: z
      .array(z.enum(['viewer', 'operator', 'approver', 'admin']))
      .describe(
        'The roles that the caller has in every namespace that it is about, as syncing, rolling back, resuming and suspending it want them. Without viewer its revisions, what looks said, and what waits for others are left out.',
      ),
  }),
);
export type Source = WireOf<typeof sourceSchema>;

/** What one commit of a source went through. */
export const revisionSchema = component(
  'Revision',
  'What one commit of a source went through.',
  z.object({
    source: z.string().describe('The repository, as the configuration names it.'),
    commit: commitSchema.describe('What was looked at.'),
    outcome: z.string().describe('What it came to: active, held or rejected.'),
    message: z.string().describe('The same in a sentence.'),
    fetchedAt: timeText.describe('When it had arrived from the Git server, RFC 3339.'),
    finishedAt: timeText.describe('When it was judged to the end, RFC 3339.'),
    details: jsonObject.describe(
      'Author, committer, message, parents, signatures, timings, tenants, diagnostics, holds, counts, and what operators did to let it in (allowedBy).',
    ),
  }),
);
export type Revision = WireOf<typeof revisionSchema>;
