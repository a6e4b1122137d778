import { z } from 'zod';
import { auditEntryKinds } from '../choices.ts';
import { component, jsonObject, timeText, type WireOf } from '../component.ts';
import { policyReferenceSchema } from './decision.ts';

/** An entry of the ledger. */
export const auditEntrySchema = component(
  'AuditEntry',
  'An entry of the ledger: only ever appended, each with the hash of the one before it in its stream.',
  z.object({
    id: z.string(),
    kind: z.enum(auditEntryKinds),
    time: timeText.describe('When it happened.'),
    cluster: z.string().describe('The cluster’s configured name.'),
    policy: policyReferenceSchema.nullable().describe('Null: it is about no single policy.'),
    previousHash: z.string(),
    hash: z.string(),
    payload: jsonObject.describe(
      'As docs/spec/ledger.md describes it; of a decision without its input, which the decision has.',
    ),
  }),
);
export type AuditEntry = WireOf<typeof auditEntrySchema>;
