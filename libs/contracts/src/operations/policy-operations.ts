import { z } from 'zod';
import { decisionActions, policyStates } from '../choices.ts';
import { orPreview } from '../resources/action-effect.ts';
import { givenTime, several } from '../resources/component.ts';
import { decisionDetailsSchema, decisionSchema, decisionSummarySchema } from '../resources/decision.ts';
import { effectiveValuesSchema } from '../resources/effective-value.ts';
import { fleetSchema } from '../resources/fleet.ts';
import { reasonText } from '../resources/intervention.ts';
import { namespaceText, policyNameSchema, policySchema, policyText } from '../resources/policy.ts';
import { policyDetailsSchema } from '../resources/policy-details.ts';
import { scalingEventSchema } from '../resources/scaling-event.ts';
import { sourceNameText, syncResultSchema } from '../resources/source.ts';
import { action, list, pageQuery, read, rehearsalQuery } from './operation.ts';

const timeQuery = pageQuery.extend({
  from: givenTime.optional().describe('RFC 3339 with its zone, inclusive.'),
  until: givenTime.optional().describe('RFC 3339 with its zone, exclusive.'),
});

const decisionQuery = timeQuery.extend({
  action: z.enum(decisionActions).optional().describe('Only decisions that do this.'),
});

/** As many namespaces as one question names. */
const maximumNamespaces = 100;

const ofNamespaces = {
  namespace: several(namespaceText, maximumNamespaces)
    .optional()
    .describe('Only of the policies of these namespaces; may be repeated.'),
};

const sourceAndReason = z.strictObject({
  source: sourceNameText.describe(
    'The repository that the policy comes from, as the configuration names it.',
  ),
  reason: reasonText.optional(),
});

/** The id of a decision. */
export const decisionId = z
  .string()
  .regex(
    /^(?:policy|late):[a-z0-9-]{1,63}\/[a-z0-9.-]{1,253}#[1-9][0-9]{0,18}$/,
    'the id of a decision, as lists have it',
  )
  .describe('As lists have it; percent-encoded.');

/** Policies in force, and what happened under each. */
export const policyOperations = {
  listPolicies: list({
    id: 'listPolicies',
    path: '/policies',
    tag: 'Policies',
    summary: 'Policies in force, by namespace and name.',
    query: pageQuery.extend({
      namespace: several(namespaceText, maximumNamespaces)
        .optional()
        .describe('Only of these namespaces; may be repeated.'),
      state: several(z.enum(policyStates), policyStates.length)
        .optional()
        .describe('Only those of which this may be said; each of them where it is repeated.'),
    }),
    answer: policySchema,
  }),
  getPolicy: read({
    id: 'getPolicy',
    path: '/policies/{namespace}/{name}',
    tag: 'Policies',
    summary: 'One policy in force.',
    parameters: policyNameSchema,
    answer: policyDetailsSchema,
  }),
  getEffectiveValues: read({
    id: 'getEffectiveValues',
    path: '/policies/{namespace}/{name}/effective-values',
    tag: 'Policies',
    summary:
      'Every value of a policy’s effective spec, and where it comes from: file and line, or whose default.',
    parameters: policyNameSchema,
    query: z.strictObject({
      time: givenTime
        .optional()
        .describe(
          'Of the version that was in force then, RFC 3339 with its zone; absent: of the one in force.',
        ),
    }),
    answer: effectiveValuesSchema,
  }),
  getFleet: read({
    id: 'getFleet',
    path: '/fleet',
    tag: 'Policies',
    summary: 'The policies that the caller may view, counted by their states.',
    answer: fleetSchema,
  }),
  listPolicyDecisions: list({
    id: 'listPolicyDecisions',
    path: '/policies/{namespace}/{name}/decisions',
    tag: 'Policies',
    summary: 'A policy’s recorded decisions, newest first, also after it left.',
    parameters: policyNameSchema,
    query: decisionQuery,
    answer: decisionSchema,
  }),
  listPolicyScalingEvents: list({
    id: 'listPolicyScalingEvents',
    path: '/policies/{namespace}/{name}/scaling-events',
    tag: 'Policies',
    summary: 'Changes of a policy’s replica count, newest first, also after it left.',
    parameters: policyNameSchema,
    query: timeQuery,
    answer: scalingEventSchema,
  }),
  releasePolicy: action({
    id: 'releasePolicy',
    path: '/policies/{namespace}/{name}/release',
    tag: 'Policies',
    summary: 'Takes a policy out of force, its count kept.',
    role: 'approver',
    parameters: policyNameSchema,
    body: sourceAndReason,
    query: rehearsalQuery,
    answer: orPreview(syncResultSchema),
  }),
  resumePolicy: action({
    id: 'resumePolicy',
    path: '/policies/{namespace}/{name}/resume',
    tag: 'Policies',
    summary: 'Takes back the release of a policy: its document counts again.',
    role: 'approver',
    parameters: policyNameSchema,
    body: sourceAndReason,
    query: rehearsalQuery,
    answer: orPreview(syncResultSchema),
  }),
  listDecisions: list({
    id: 'listDecisions',
    path: '/decisions',
    tag: 'Decisions',
    summary: 'Recorded decisions, newest first: each that differs from the one before it.',
    query: decisionQuery.extend(ofNamespaces),
    answer: decisionSchema,
  }),
  listDecisionSummaries: list({
    id: 'listDecisionSummaries',
    path: '/decision-summaries',
    tag: 'Decisions',
    summary: 'The same decisions without how they came about, which takes a fraction of reading them.',
    query: decisionQuery.extend({
      ...ofNamespaces,
      policy: policyText.optional().describe('Only of this policy, NAMESPACE/NAME.'),
    }),
    answer: decisionSummarySchema,
  }),
  getDecision: read({
    id: 'getDecision',
    path: '/decisions/{id}',
    tag: 'Decisions',
    summary: 'One decision: waterfall, values, pods counted and left out, and its complete input.',
    parameters: z.strictObject({ id: decisionId }),
    query: z.strictObject({
      without: z
        .enum(['input'])
        .optional()
        .describe('What is left out: the input is most of a decision, and is unpacked for each answer.'),
    }),
    answer: decisionDetailsSchema,
  }),
  listScalingEvents: list({
    id: 'listScalingEvents',
    path: '/scaling-events',
    tag: 'Decisions',
    summary: 'Changes of replica counts, newest first.',
    query: timeQuery.extend(ofNamespaces),
    answer: scalingEventSchema,
  }),
} as const;
