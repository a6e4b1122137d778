import { z } from 'zod';
import { policyStates } from '../choices.ts';
import { policyOriginSchema } from './commit.ts';
import { component, replicaCount, timeText, type WireOf } from './component.ts';

const namespaceForm = /^[a-z0-9][a-z0-9-]{0,62}$/;
const nameForm = /^[a-z0-9][a-z0-9.-]{0,252}$/;

/** The name of a namespace. */
export const namespaceText = z
  .string()
  .regex(namespaceForm, 'the name of a namespace: 1 to 63 lower-case letters, digits and -');

/** What a policy is named by in a query. */
export const policyText = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}\/[a-z0-9][a-z0-9.-]{0,252}$/, 'a policy, NAMESPACE/NAME');

/** What a policy is named by in paths and bodies. */
export const policyNameSchema = component(
  'PolicyName',
  'Which policy it is: names are unique within a namespace.',
  z.strictObject({
    namespace: namespaceText.describe('The namespace that the policy, and what it scales, lives in.'),
    name: z
      .string()
      .regex(nameForm, 'the name of a policy: 1 to 253 lower-case letters, digits, - and .')
      .describe('What the policy is called, within its namespace.'),
  }),
);

/** A condition in Kubernetes' form. */
export const conditionSchema = component(
  'Condition',
  'A condition, in Kubernetes’ form.',
  z.object({
    type: z.string().describe('What is stated: AbleToScale, ScalingActive, Ready, Conflict, …'),
    status: z.string().describe('Whether it is so: True, False or Unknown.'),
    reason: z.string().describe('A word in CamelCase for why, which programs go by.'),
    message: z.string().nullable().describe('The same in a sentence; null: there is nothing to add.'),
    lastTransitionTime: timeText.describe('Since when it has this status, RFC 3339.'),
  }),
);

/** The object that a policy scales. */
export const scaleTargetSchema = component(
  'ScaleTarget',
  'The object that a policy scales; it is in the policy’s namespace.',
  z.object({
    apiVersion: z.string().describe('Group and version in Kubernetes: `apps/v1`.'),
    kind: z.string().describe('Deployment, StatefulSet, or any other with a scale subresource.'),
    name: z.string().describe('What it is called, in the policy’s namespace.'),
  }),
);

/** What the latest pass over a policy came to. */
export const policyStatusSchema = component(
  'PolicyStatus',
  'What the latest pass over the policy came to.',
  z.object({
    outcome: z.string().describe('Done, Waiting, Stalled, Failed or Bug: what happens next.'),
    reason: z.string().describe('A word in CamelCase for why, which programs go by.'),
    message: z.string().describe('The same in a sentence.'),
    time: timeText.describe(
      'When the pass ended; where evaluatedBy is not ThisReplica, when its state was stored last: passes that changed nothing since are known to the replica that ran them alone. RFC 3339.',
    ),
    evaluatedBy: z
      .enum(['ThisReplica', 'AnotherReplica', 'NobodyYet'])
      .describe(
        'Which replica runs the passes over it: the one that answers, another one (none, while its shard is handed over), or the one that answers, since whose start no pass over it has ended.',
      ),
    shard: z
      .int()
      .describe('The shard that the policy is in: `/shards` says who holds it, and so evaluates the policy.'),
    replicas: replicaCount.nullable().describe('spec.replicas after the pass; null: unreadable.'),
    statusReplicas: replicaCount.nullable().describe('status.replicas after the pass; null: unreadable.'),
    decision: z
      .string()
      .nullable()
      .describe(
        'Id of the decision that the pass made or repeats, which /decisions/ID has; null: it decided nothing, is not recorded yet, or another replica decides the policy: /policies/NAMESPACE/NAME/decisions has it.',
      ),
    conditions: z
      .array(conditionSchema)
      .describe('Plimsoll’s own, then upstream’s, with the times of their last transitions.'),
  }),
);

/** How a policy is carried out at a moment. */
export const policyPictureSchema = component(
  'PolicyPicture',
  'How a policy is carried out at a moment: its own limits, its windows’ and its interventions’.',
  z.object({
    minReplicas: replicaCount.describe('The fewest replicas that it scales to then.'),
    maxReplicas: replicaCount.describe('The most replicas that it scales to then.'),
    pin: replicaCount.nullable().describe('The count that an override names; null: none does.'),
    stopped: z.enum(['None', 'Up', 'Down', 'Both']).describe('What a freeze or a suspension stops.'),
    isDryRun: z.boolean().describe('Whether it then decides and records, and writes nothing.'),
    replicas: replicaCount
      .nullable()
      .describe('The count that follows at once, before anything that metrics ask for; null: not known.'),
  }),
);

/** A schedule or a freeze that is in force. */
export const windowSchema = component(
  'Window',
  'A schedule or a freeze of a document that is in force.',
  z.object({
    kind: z
      .enum(['Schedule', 'Freeze'])
      .describe('Schedule: it replaces the bounds that it names. Freeze: it stops a direction.'),
    name: z.string().describe('What it is called in the document.'),
    minReplicas: replicaCount
      .nullable()
      .describe('The fewest replicas while it lasts; null: the policy’s own, or a freeze.'),
    maxReplicas: replicaCount
      .nullable()
      .describe('The most replicas while it lasts; null: the policy’s own, or a freeze.'),
    direction: z.enum(['Up', 'Down', 'Both']).nullable().describe('What a freeze stops; null: a schedule.'),
    since: timeText.nullable().describe('When it began, RFC 3339.'),
    until: timeText.nullable().describe('When it ends, RFC 3339.'),
  }),
);

/** A policy in force, as lists have it. */
export const policySchema = component(
  'Policy',
  'A policy in force, with every default filled in.',
  z.object({
    id: z.string().describe('The stream of the ledger that has its entries: `policy:shop/checkout`.'),
    namespace: z.string().describe('The namespace that the policy, and what it scales, lives in.'),
    name: z.string().describe('What the policy is called, within its namespace.'),
    kind: z.string().describe('The kind of the document it was written as.'),
    target: scaleTargetSchema.describe('What it scales.'),
    actuation: z
      .string()
      .describe(
        'Who writes the count. Scale: Plimsoll. HorizontalPodAutoscaler: the native controller, by an HPA that Plimsoll renders.',
      ),
    enabled: z
      .boolean()
      .describe(
        'false: nothing is decided, and the count stays, or is what the document says of a disabled policy.',
      ),
    dryRun: z.boolean().describe('true: its document wants it decided and recorded, and nothing written.'),
    minReplicas: replicaCount.describe('The fewest replicas that its document lets it scale to.'),
    maxReplicas: replicaCount.describe('The most replicas that its document lets it scale to.'),
    selectionStrategy: z
      .string()
      .describe(
        'LabelSelector: all pods that match the labels count. OwnerReference: those whose owners lead to the target.',
      ),
    intervalSeconds: z.number().describe('How often it is decided for.'),
    inForce: policyPictureSchema.describe(
      'How it is carried out now. Its own bounds, as its document has them, are beside it.',
    ),
    windows: z.array(windowSchema).describe('Its schedules and freezes that are in force now.'),
    origin: policyOriginSchema.describe('Which commit put it in force, and where it stands there.'),
    states: z
      .array(z.enum(policyStates))
      .describe('What may be said of it now, beside how its latest pass ended.'),
    status: policyStatusSchema.nullable().describe('Null until its first pass ends.'),
  }),
);
export type Policy = WireOf<typeof policySchema>;

export const rejectedCommitSchema = component(
  'RejectedCommit',
  'A commit that is not in force for a policy, since the part of its tenant has errors.',
  z.object({
    commit: z.string().describe('Its full object name.'),
    tenant: z.string().describe('The tenant; empty: the root, as of a source without tenants.'),
    message: z
      .string()
      .nullable()
      .describe(
        'How many errors there are, and the first with its place: `2 errors: a.yaml:3:1: …`. Null: the caller may not view all of the source.',
      ),
    notVisible: z
      .string()
      .nullable()
      .describe(
        'Which role would show the errors: needs viewer of all namespaces of source policies. Null: `message` has them.',
      ),
  }),
);
