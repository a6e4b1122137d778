import { z } from 'zod';
import { action, list } from '../operation.ts';
import { interventionRequestSchema, interventionSchema, reasonText } from '../resources/intervention.ts';

/** Suspensions and overrides. */
export const interventionOperations = {
  listInterventions: list({
    id: 'listInterventions',
    path: '/interventions',
    tag: 'Interventions',
    summary: 'The suspensions and overrides that have begun and not ended, by their beginning.',
    answer: interventionSchema,
  }),
  beginIntervention: action({
    id: 'beginIntervention',
    path: '/interventions',
    tag: 'Interventions',
    summary: 'Begins a suspension or an override, which ends by itself when it expires.',
    role: 'operator',
    status: 201,
    body: interventionRequestSchema,
    answer: interventionSchema,
  }),
  endIntervention: action({
    id: 'endIntervention',
    method: 'DELETE',
    path: '/interventions/{id}',
    tag: 'Interventions',
    summary: 'Ends a suspension or an override before it expires.',
    role: 'operator',
    parameters: z.strictObject({ id: z.uuid() }),
    query: z.strictObject({ reason: reasonText }),
    answer: interventionSchema,
  }),
} as const;
