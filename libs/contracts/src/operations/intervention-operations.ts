import { z } from 'zod';
import { action, list, rehearsalQuery } from '../operation.ts';
import { orPreview } from '../resources/action-effect.ts';
import { interventionRequestSchema, interventionSchema, reasonText } from '../resources/intervention.ts';

/** Suspensions, overrides and dry runs. */
export const interventionOperations = {
  listInterventions: list({
    id: 'listInterventions',
    path: '/interventions',
    tag: 'Interventions',
    summary: 'The suspensions, overrides and dry runs that have begun and not ended, by their beginning.',
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
    answer: orPreview(interventionSchema),
  }),
  endIntervention: action({
    id: 'endIntervention',
    method: 'DELETE',
    path: '/interventions/{id}',
    tag: 'Interventions',
    summary: 'Ends a suspension, an override or a dry run before it expires; a dry run of a document stays.',
    role: 'operator',
    parameters: z.strictObject({ id: z.uuid() }),
    query: rehearsalQuery.extend({ reason: reasonText.optional() }),
    answer: orPreview(interventionSchema),
  }),
} as const;
