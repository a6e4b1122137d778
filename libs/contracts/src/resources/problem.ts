import { z } from 'zod';
import { actionEffectSchema } from './action-effect.ts';
import { component, timeText, type WireOf } from './component.ts';
import { interventionSchema } from './intervention.ts';

/** For how long something may be asked for. */
const expiryBoundSchema = component(
  'ExpiryBound',
  'For how long something may be asked for: a setting of the controller, or the end of the token that asks.',
  z.object({
    last: timeText.describe('The last moment at which it may end.'),
    setting: z
      .enum(['interventions.maximumHours', 'auth.maximumTokenDays'])
      .nullable()
      .describe('The setting that bounds it; null: it ends with the token that asks for it.'),
    value: z.int().nullable().describe('Of the setting, in hours or days as its name has it.'),
  }),
);
export type ExpiryBound = WireOf<typeof expiryBoundSchema>;

/** A refusal, RFC 9457. Programs read `code`, which is stable; people read `detail`. */
export const problemSchema = component(
  'Problem',
  'A refusal, as RFC 9457 has it. Programs read `code`, which is stable; people read `detail`.',
  z.object({
    type: z.string().describe('`about:blank`: the status says what kind of problem it is.'),
    title: z.string().describe('What the status is called.'),
    status: z.int().min(400).max(599).describe('The HTTP status of the answer, again.'),
    code: z.string().describe('Stable: one word for one cause.'),
    detail: z.string().describe('A sentence, with the value and the bound in it.'),
    effect: actionEffectSchema
      .optional()
      .describe('What the action would do now, where that is why it was refused.'),
    standing: interventionSchema
      .optional()
      .describe('What another operator did before, where that is why it was refused.'),
    bound: expiryBoundSchema
      .optional()
      .describe('What bounds the end that was asked for, where that is why it was refused.'),
  }),
);
export type Problem = WireOf<typeof problemSchema>;
