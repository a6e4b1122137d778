import { z } from 'zod';
import { interventionKinds } from '../choices.ts';
import { orPreview } from '../resources/action-effect.ts';
import { several } from '../resources/component.ts';
import {
  begunInterventionSchema,
  interventionRequestSchema,
  interventionSchema,
  reasonText,
} from '../resources/intervention.ts';
import { namespaceText } from '../resources/policy.ts';
import { action, list, pageQuery, read, rehearsalQuery } from './operation.ts';

/** Suspensions, overrides and dry runs. */
export const interventionOperations = {
  listInterventions: list({
    id: 'listInterventions',
    path: '/interventions',
    tag: 'Interventions',
    summary: 'The suspensions, overrides and dry runs that have begun and not ended, by their beginning.',
    query: pageQuery.extend({
      kind: several(z.enum(interventionKinds), interventionKinds.length)
        .optional()
        .describe('Only of these kinds; may be repeated.'),
      namespace: several(namespaceText, 100)
        .optional()
        .describe('Only of these namespaces, and of their policies; may be repeated.'),
      actor: z.string().min(1).max(253).optional().describe('The name of a person or token.'),
    }),
    answer: interventionSchema,
  }),
  beginIntervention: action({
    id: 'beginIntervention',
    path: '/interventions',
    tag: 'Interventions',
    summary: 'Begins a suspension, an override or a dry run, which ends by itself when it expires.',
    role: 'operator',
    status: 201,
    query: rehearsalQuery,
    body: interventionRequestSchema,
    answer: orPreview(begunInterventionSchema),
  }),
  getIntervention: read({
    id: 'getIntervention',
    path: '/interventions/{id}',
    tag: 'Interventions',
    summary: 'One suspension, override or dry run that stands.',
    parameters: z.strictObject({ id: z.uuid().describe('Which intervention, as lists have it.') }),
    answer: interventionSchema,
  }),
  endIntervention: action({
    id: 'endIntervention',
    method: 'DELETE',
    path: '/interventions/{id}',
    tag: 'Interventions',
    summary: 'Ends a suspension, an override or a dry run before it expires; a dry run of a document stays.',
    role: 'operator',
    parameters: z.strictObject({ id: z.uuid().describe('Which intervention, as lists have it.') }),
    query: rehearsalQuery.extend({
      kind: z
        .enum(interventionKinds)
        .optional()
        .describe('Only where it is of this kind: another is left as it is, and the refusal names it.'),
      reason: reasonText.optional(),
    }),
    answer: orPreview(interventionSchema),
  }),
} as const;
