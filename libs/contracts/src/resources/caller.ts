import { z } from 'zod';
import { component, timeText, type WireOf } from './component.ts';
import { grantSchema } from './token.ts';

/** Who calls, and what the caller may do where. */
export const callerSchema = component(
  'Caller',
  'Who calls, and what the caller may do where.',
  z.object({
    name: z.string().describe('The actor in the ledger.'),
    owner: z.string().describe('The person behind a token that was made through the API; else the name.'),
    email: z.string().nullable().describe('What approvals compare with the authors of commits.'),
    forgeLogin: z.string().nullable().describe('The same, of the forge.'),
    grants: z.array(grantSchema).describe('What the caller may do, and where.'),
    token: z
      .object({
        id: z.string().describe('What `/tokens` knows it by.'),
        expiresAt: timeText.describe('When it is refused from, RFC 3339.'),
      })
      .nullable()
      .describe('The token that was made through the API; null: the caller came with another identity.'),
  }),
);
export type Caller = WireOf<typeof callerSchema>;
