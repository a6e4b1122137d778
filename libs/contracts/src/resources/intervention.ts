import { z } from 'zod';
import { component, givenTime, replicaCount, timeText, type WireOf } from './component.ts';
import { namespaceText, policyNameSchema } from './policy.ts';
import { sourceNameText } from './source.ts';

/** `metrics.k8s.io`, `prometheus/main`, `recommender/HOST`. */
const metricSourceText = z.string().min(1).max(300);

const scopeSchema = component(
  'InterventionScope',
  'Which policies an intervention is for.',
  z.discriminatedUnion('kind', [
    policyNameSchema.extend({ kind: z.literal('Policy').describe('A single one.') }),
    z.strictObject({
      kind: z.literal('Namespace').describe('All in one namespace.'),
      namespace: namespaceText.describe('Where all policies are meant.'),
    }),
    z.strictObject({
      kind: z.literal('Source').describe('All that come from one repository.'),
      source: sourceNameText.describe('The repository, as the configuration names it.'),
    }),
    z.strictObject({
      kind: z.literal('MetricSource').describe('All with a metric of one source.'),
      metricSource: metricSourceText.describe(
        'Policies with a metric of it: `metrics.k8s.io`, `prometheus/main`, `recommender/HOST`.',
      ),
    }),
    z.strictObject({ kind: z.literal('Cluster').describe('All that there are.') }),
  ]),
);

const kinds = {
  Suspend: z.literal('Suspend').describe('They do not scale in a direction.'),
  Override: z
    .literal('Override')
    .describe('One policy has other bounds, or a count in place of what is decided.'),
  DryRun: z.literal('DryRun').describe('They are decided and recorded, and nothing is written.'),
};

const direction = z
  .enum(['Up', 'Down', 'Both'])
  .describe('What stops: Up is scaling out, Down is scaling in.');

const standing = {
  id: z.string().describe('Give it to `DELETE /interventions/{id}` to end it.'),
  scope: scopeSchema.describe('Which policies it acts on.'),
  reason: z.string().describe('What the operator wrote, for the readers of the ledger.'),
  actor: z.string().describe('The person or token that began it; `fleet-brake`: the controller itself.'),
  since: timeText.describe('When it began, RFC 3339.'),
  expires: timeText.describe('At this moment it no longer acts.'),
  against: z
    .array(z.string())
    .describe(
      'What guardrails and the limits of the tenant said against it as it began; empty: it was not forced, or an earlier release began it.',
    ),
};

const counts = {
  minReplicas: replicaCount.describe('The fewest replicas, in place of the policy’s own bound.'),
  maxReplicas: replicaCount.describe('The most replicas, in place of the policy’s own bound.'),
  replicas: replicaCount.describe('A pin: in place of what the policy decides, within the bounds.'),
};

const suspension = z.object({ kind: kinds.Suspend, ...standing, direction });
const override = z.object({
  kind: kinds.Override,
  ...standing,
  minReplicas: counts.minReplicas
    .nullable()
    .describe('The fewest replicas; null: the policy’s own bound counts.'),
  maxReplicas: counts.maxReplicas
    .nullable()
    .describe('The most replicas; null: the policy’s own bound counts.'),
  replicas: counts.replicas.nullable().describe('A pin: exactly so many; null: what is decided counts.'),
});
const dryRun = z.object({ kind: kinds.DryRun, ...standing });

/** A suspension, an override or a dry run that has begun and not ended. */
export const interventionSchema = component(
  'Intervention',
  'A suspension of a direction, an override of bounds or count, or a dry run, that has begun and not ended.',
  z.discriminatedUnion('kind', [suspension, override, dryRun]),
);
export type Intervention = WireOf<typeof interventionSchema>;

/** How an intervention ended. */
export const endingSchema = component(
  'InterventionEnding',
  'How an intervention ended.',
  z.object({
    time: timeText.describe('From then on it acted no more.'),
    actor: z.string().describe('The person or token that ended it; `plimsoll`: it expired.'),
    reason: z.string().nullable().describe('What the operator wrote; null: nothing.'),
  }),
);

/** An intervention that stood as something was decided, and how it has ended since. */
export const pastInterventionSchema = component(
  'PastIntervention',
  'An intervention that stood as something was decided, and how it has ended since.',
  z.object({
    intervention: interventionSchema.describe('What it did, to what, from when until when at most.'),
    isForced: z
      .boolean()
      .describe(
        'It went against guardrails or limits of the tenant; `against` of the intervention says what they said, where that was kept.',
      ),
    end: endingSchema.nullable().describe('How it ended; null: it stands.'),
  }),
);
export type PastIntervention = WireOf<typeof pastInterventionSchema>;

const begun = {
  begun: z
    .object({
      policies: z
        .int()
        .describe(
          'How many policies in force it acts on now; those that come before it expires are not counted.',
        ),
      effects: z
        .array(z.string())
        .describe(
          'What it does to the first 20 of them, a sentence each: bounds and count, and which override gives way.',
        ),
      against: z
        .array(z.string())
        .describe('What guardrails and the limits of the tenant say against it; empty: it was not forced.'),
      standing: z
        .array(interventionSchema)
        .describe('What operators began before for the same policies, and what still stands; at most 100.'),
    })
    .describe('What it met when it began.'),
};

/** An intervention that has just begun. */
export const begunInterventionSchema = component(
  'BegunIntervention',
  'An intervention that has just begun, with what it acts on and what stood before it.',
  z.discriminatedUnion('kind', [suspension.extend(begun), override.extend(begun), dryRun.extend(begun)]),
);
export type BegunIntervention = WireOf<typeof begunInterventionSchema>;

/** A sentence for the readers of the ledger. */
export const reasonText = z
  .string()
  .min(1)
  .max(1_000)
  .describe('A sentence for the readers of the ledger; mandatory, but for a dry run.');

const terms = {
  expires: givenTime.describe('RFC 3339 with its zone; at most `interventions.maximumHours` (24) from now.'),
  reason: reasonText.optional(),
};

const wanted = scopeSchema.describe('Which policies it is for.');

/** What begins an intervention. */
export const interventionRequestSchema = component(
  'InterventionRequest',
  'What is to begin: a suspension of a direction, an override of one policy’s bounds or count, or a dry run.',
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: kinds.Suspend, scope: wanted, direction, ...terms }),
    z.strictObject({
      kind: kinds.Override,
      policy: policyNameSchema.describe('The only one that gets other bounds, or another count.'),
      minReplicas: counts.minReplicas.optional(),
      maxReplicas: counts.maxReplicas.optional(),
      replicas: counts.replicas.optional(),
      force: z
        .boolean()
        .optional()
        .describe('Also outside guardrails and the limits of the tenant. Role admin; recorded as Forced.'),
      ...terms,
    }),
    z.strictObject({ kind: kinds.DryRun, scope: wanted, ...terms }),
  ]),
);
export type InterventionRequest = WireOf<typeof interventionRequestSchema>;
