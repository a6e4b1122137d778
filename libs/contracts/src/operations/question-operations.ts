import { z } from 'zod';
import { givenTime } from '../resources/component.ts';
import {
  degradationSchema,
  ledgerSealSchema,
  orphanedHpaSchema,
  reportScheduleSchema,
} from '../resources/controller-state.ts';
import { policyNameSchema } from '../resources/policy.ts';
import {
  decisionsAroundSchema,
  dryDecisionSchema,
  flappingPoliciesSchema,
  policyChartSchema,
} from '../resources/question.ts';
import { list, read } from './operation.ts';

/** A whole number of a query, within bounds. */
function wholeNumber(minimum: number, maximum: number) {
  return z
    .string()
    .regex(/^[0-9]{1,10}$/, `a whole number, ${minimum} to ${maximum}`)
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum));
}

const largestInt = 2_147_483_647;
const until = givenTime.optional().describe('RFC 3339 with its zone, exclusive; left out: now.');
const from = givenTime.describe('RFC 3339 with its zone, inclusive.');

/** What is asked about policies over time, what would be decided now, and how the controller stands. */
export const questionOperations = {
  getWhatIf: read({
    id: 'getWhatIf',
    path: '/policies/{namespace}/{name}/what-if',
    tag: 'Policies',
    summary:
      'What would be decided with other bounds, on the newest recorded observation. Nothing is written.',
    parameters: policyNameSchema,
    query: z.strictObject({
      minReplicas: wholeNumber(0, largestInt).optional().describe('In place of the policy’s own.'),
      maxReplicas: wholeNumber(0, largestInt).optional().describe('In place of the policy’s own.'),
    }),
    answer: dryDecisionSchema,
  }),
  getDecisionsAround: read({
    id: 'getDecisionsAround',
    path: '/policies/{namespace}/{name}/decisions-around',
    tag: 'Policies',
    summary:
      'What was decided for a policy before and after a moment: what was in force then, and what changed it.',
    parameters: policyNameSchema,
    query: z.strictObject({
      time: givenTime.describe('RFC 3339 with its zone; it has come.'),
      first: wholeNumber(1, 100).default(3).describe('Decisions on each side.'),
    }),
    answer: decisionsAroundSchema,
  }),
  getChart: read({
    id: 'getChart',
    path: '/policies/{namespace}/{name}/chart',
    tag: 'Policies',
    summary: 'Counts, bounds and metrics of a policy over time, from the series that every pass writes.',
    parameters: policyNameSchema,
    query: z.strictObject({
      from: from.describe('RFC 3339 with its zone, inclusive; at most 31 days before the end.'),
      until,
      steps: wholeNumber(1, 1_000).default(240).describe('Values per line.'),
    }),
    answer: policyChartSchema,
  }),
  getFlappingPolicies: read({
    id: 'getFlappingPolicies',
    path: '/flapping-policies',
    tag: 'Policies',
    summary: 'Which policies’ counts went up and down.',
    query: z.strictObject({
      from,
      until,
      reversals: wholeNumber(1, 10_000).default(3).describe('Only policies with at least so many.'),
    }),
    answer: flappingPoliciesSchema,
  }),
  listOrphanedHpas: list({
    id: 'listOrphanedHpas',
    path: '/orphaned-hpas',
    tag: 'Policies',
    summary: 'HPAs of ours that no policy in force explains, by name.',
    answer: orphanedHpaSchema,
  }),
  getLedgerSeal: read({
    id: 'getLedgerSeal',
    path: '/ledger/seal',
    tag: 'Audit',
    summary: 'How far the ledger is sealed by signed checkpoints; for viewers of every namespace.',
    answer: ledgerSealSchema,
  }),
  listReportSchedules: list({
    id: 'listReportSchedules',
    path: '/report-schedules',
    tag: 'Reports',
    summary: 'The reports that are made again and again, by name; for viewers of every namespace.',
    answer: reportScheduleSchema,
  }),
  listDegradations: list({
    id: 'listDegradations',
    path: '/degraded',
    tag: 'Replicas',
    summary: 'What does not work now; /readyz names it, too.',
    answer: degradationSchema,
  }),
} as const;
