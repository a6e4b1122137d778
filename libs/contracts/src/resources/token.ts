import { z } from 'zod';
import { component, givenTime, timeText, type WireOf } from './component.ts';
import { reasonText } from './intervention.ts';

/** A role, and where it holds. */
export const grantSchema = component(
  'Grant',
  'A role, and the namespaces that it holds in.',
  z.strictObject({
    role: z
      .enum(['viewer', 'operator', 'approver', 'admin'])
      .describe('What its bearer may do there; each role includes those before it.'),
    namespaces: z
      .array(z.string().min(1).max(63))
      .min(1)
      .max(100)
      .describe('Names, or patterns with `*`; `*` alone is every namespace, and what belongs to none.'),
  }),
);

/** An API token, without the token. */
export const tokenSchema = component(
  'Token',
  'An API token that was made through the API, without the token itself.',
  z.object({
    id: z.string().describe('Give it to `DELETE /tokens/{id}`; it is no secret.'),
    name: z.string().describe('`ann/ci`: its owner, and what it is called; the actor in the ledger.'),
    owner: z.string().describe('Who made it, or made the token that made it.'),
    grants: z.array(grantSchema).describe('What its bearer may do, and where.'),
    createdAt: timeText.describe('When it was made, RFC 3339.'),
    expiresAt: timeText.describe('When it is refused from, RFC 3339.'),
    revokedAt: timeText.nullable().describe('When it was revoked, RFC 3339; null: it was not.'),
    lastUsedAt: timeText.nullable().describe('When it was used last, to the minute; null: never.'),
  }),
);
export type Token = WireOf<typeof tokenSchema>;

/** A token that was made. */
export const createdTokenSchema = component(
  'CreatedToken',
  'A token that was made. It is shown once.',
  tokenSchema.extend({
    token: z
      .string()
      .describe('The secret, sent as `Authorization: Bearer …`; keep it, it is not shown again.'),
  }),
);
export type CreatedToken = WireOf<typeof createdTokenSchema>;

/** What makes a token. */
export const tokenRequestSchema = component(
  'TokenRequest',
  'A token that is to be made, of what its maker may do at most.',
  z.strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'a name: 1 to 63 lower-case letters, digits and -')
      .describe('What it is for: it is OWNER/NAME in the ledger.'),
    grants: z.array(grantSchema).min(1).max(20).describe('No more than the caller has.'),
    expires: givenTime.describe('When it is refused from, RFC 3339 with its zone.'),
    reason: reasonText,
  }),
);
export type TokenRequest = WireOf<typeof tokenRequestSchema>;
