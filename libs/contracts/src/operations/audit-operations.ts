import { z } from 'zod';
import { auditEntryKinds } from '../choices.ts';
import { auditEntrySchema } from '../resources/audit-entry.ts';
import { blameSchema, policyVersionSchema } from '../resources/blame.ts';
import { callerSchema } from '../resources/caller.ts';
import { givenTime, several } from '../resources/component.ts';
import { reasonText } from '../resources/intervention.ts';
import { namespaceText, policyNameSchema, policyText } from '../resources/policy.ts';
import { createdTokenSchema, tokenRequestSchema, tokenSchema } from '../resources/token.ts';
import { action, list, pageQuery, read } from './operation.ts';
import { decisionId } from './policy-operations.ts';

const entryId = z
  .string()
  .regex(
    /^(?:sync|admin|(?:policy|late):[a-z0-9-]{1,63}\/[a-z0-9.-]{1,253})#[1-9][0-9]{0,18}$/,
    'the id of an entry, as lists have it',
  );

/** The ledger as one timeline, who allowed what, and API tokens. */
export const auditOperations = {
  listAuditEntries: list({
    id: 'listAuditEntries',
    path: '/audit-entries',
    tag: 'Audit',
    summary: 'Everything that is recorded, of all kinds in one timeline, newest first.',
    query: pageQuery.extend({
      kind: several(z.enum(auditEntryKinds), auditEntryKinds.length)
        .optional()
        .describe('Only of these kinds; may be repeated.'),
      namespace: several(namespaceText, 100)
        .optional()
        .describe(
          'Only of the policies of these namespaces, and what operators did to them; may be repeated.',
        ),
      policy: policyText
        .optional()
        .describe(
          'Only of this policy, NAMESPACE/NAME, and what operators did to it, by its name or with all of its namespace; for callers who may view every namespace also what they did to its whole source (approvals, rejections, rollbacks, the end of one), to a source of its metrics and to the cluster. Syncs that are asked for are not among them. Which policies each changed is in its effect.',
        ),
      actor: z.string().min(1).max(253).optional().describe('The name of a person or token.'),
      commit: z
        .string()
        .regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'the full hash, 40 or 64 hexadecimal digits')
        .optional()
        .describe('The full object name.'),
      from: givenTime.optional().describe('RFC 3339 with its zone, inclusive.'),
      until: givenTime.optional().describe('RFC 3339 with its zone, exclusive.'),
    }),
    answer: auditEntrySchema,
  }),
  getAuditEntry: read({
    id: 'getAuditEntry',
    path: '/audit-entries/{id}',
    tag: 'Audit',
    summary: 'One entry of the ledger.',
    parameters: z.strictObject({ id: entryId.describe('As lists have it; percent-encoded.') }),
    answer: auditEntrySchema,
  }),
  listPolicyVersions: list({
    id: 'listPolicyVersions',
    path: '/policies/{namespace}/{name}/versions',
    tag: 'Policies',
    summary: 'What a policy was and is, newest first, also after it left.',
    parameters: policyNameSchema,
    answer: policyVersionSchema,
  }),
  getPolicyBlame: read({
    id: 'getPolicyBlame',
    path: '/policies/{namespace}/{name}/blame',
    tag: 'Policies',
    summary: 'A policy’s latest decision, who allowed it, and what was written, also after the policy left.',
    parameters: policyNameSchema,
    answer: blameSchema,
  }),
  getBlame: read({
    id: 'getBlame',
    path: '/decisions/{id}/blame',
    tag: 'Decisions',
    summary:
      'Who allowed a decision, and what was written: version, commit, revision, sync, intents and outcomes.',
    parameters: z.strictObject({ id: decisionId }),
    answer: blameSchema,
  }),
  getCaller: read({
    id: 'getCaller',
    path: '/me',
    tag: 'Tokens',
    summary: 'Who calls, and which roles the caller has where.',
    answer: callerSchema,
  }),
  listTokens: list({
    id: 'listTokens',
    path: '/tokens',
    tag: 'Tokens',
    summary: 'The caller’s own API tokens, by name; to an administrator, everyone’s.',
    answer: tokenSchema,
  }),
  getToken: read({
    id: 'getToken',
    path: '/tokens/{id}',
    tag: 'Tokens',
    summary: 'One API token of the caller’s own; to an administrator, of anyone’s.',
    parameters: z.strictObject({ id: z.uuid().describe('Which token, as lists have it.') }),
    answer: tokenSchema,
  }),
  createToken: action({
    id: 'createToken',
    path: '/tokens',
    tag: 'Tokens',
    summary: 'Makes an API token of what the caller may do at most; it is shown once.',
    role: 'viewer',
    status: 201,
    isSecret: true,
    body: tokenRequestSchema,
    answer: createdTokenSchema,
  }),
  revokeToken: action({
    id: 'revokeToken',
    method: 'DELETE',
    path: '/tokens/{id}',
    tag: 'Tokens',
    summary: 'Revokes an API token and those that were made with it, on every process within a second.',
    role: 'viewer',
    parameters: z.strictObject({ id: z.uuid().describe('Which token, as lists have it.') }),
    query: z.strictObject({ reason: reasonText }),
    answer: tokenSchema,
  }),
} as const;
