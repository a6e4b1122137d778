import { z } from 'zod';
import { policyStates } from '../choices.ts';
import { component, type WireOf } from './component.ts';

const count = z.int().nonnegative();

/** The policies that a caller may see, counted. */
export const fleetSchema = component(
  'Fleet',
  'The policies that the caller may view, counted by their states.',
  z.object({
    policies: count.describe('How many are in force, as far as the caller may view them.'),
    mode: z
      .enum(['Observe', 'Act'])
      .describe('Of the process that answers; Observe: it decides and records, and writes nothing.'),
    maximumInterventionHours: count.describe(
      'How many hours from its beginning an intervention may end: `interventions.maximumHours` of the process that answers.',
    ),
    unknown: count.describe('How many have no pass behind them yet.'),
    states: z
      .array(
        z.object({
          state: z.enum(policyStates).describe('What may be said of them.'),
          policies: count.describe('How many it may be said of.'),
        }),
      )
      .describe('Every state, those of none included.'),
    orphanedHpas: count.describe('HPAs of ours that no policy in force explains.'),
    holds: count.describe('What waits for an approval, or until its source is resumed.'),
    interventions: count.describe('Those that act now.'),
  }),
);
export type Fleet = WireOf<typeof fleetSchema>;
