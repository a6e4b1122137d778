import { z } from 'zod';
import { policyStates } from '../choices.ts';
import { component, type WireOf } from '../component.ts';

const count = z.int().nonnegative();

/** The policies that a caller may see, counted. */
export const fleetSchema = component(
  'Fleet',
  'The policies that the caller may view, counted by their states.',
  z.object({
    policies: count,
    unknown: count.describe('How many have no pass behind them yet.'),
    states: z.array(z.object({ state: z.enum(policyStates), policies: count })),
    orphanedHpas: count,
    holds: count.describe('What waits for an approval.'),
    interventions: count.describe('Those that act now.'),
  }),
);
export type Fleet = WireOf<typeof fleetSchema>;
