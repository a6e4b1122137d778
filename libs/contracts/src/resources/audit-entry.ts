import { z } from 'zod';
import { auditEntryKinds } from '../choices.ts';
import { component, jsonObject, timeText, type WireOf } from './component.ts';
import { policyReferenceSchema } from './decision.ts';
import { endingSchema } from './intervention.ts';

/** An entry of the ledger. */
export const auditEntrySchema = component(
  'AuditEntry',
  'An entry of the ledger: only ever appended, each with the hash of the one before it in its stream.',
  z.object({
    id: z.string().describe('`STREAM#NUMBER`, as in `policy:shop/checkout#12`.'),
    kind: z.enum(auditEntryKinds).describe('What is recorded here.'),
    time: timeText.describe('When it happened.'),
    cluster: z.string().describe('The name that the configuration gives the Kubernetes cluster.'),
    policy: policyReferenceSchema
      .nullable()
      .describe('That it is about, or that an operator’s action names; null: no single policy.'),
    previousHash: z
      .string()
      .describe('The hash of the entry before it in its stream; 64 zeros for the first.'),
    hash: z.string().describe('SHA-256 of this entry, in hex: it covers what is recorded and previousHash.'),
    payload: jsonObject.describe(
      'As docs/spec/ledger.md describes it; of a decision without its input, which the decision has.',
    ),
    end: endingSchema
      .nullable()
      .describe(
        'How the intervention ended that this action began; null: it began none, it stands, its end is not known, or the entry is part of a blame.',
      ),
  }),
);
export type AuditEntry = WireOf<typeof auditEntrySchema>;
