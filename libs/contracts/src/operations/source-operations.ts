import { z } from 'zod';
import { orPreview } from '../resources/action-effect.ts';
import { reasonText } from '../resources/intervention.ts';
import {
  listedHoldSchema,
  revisionSchema,
  sourceNameText,
  sourceSchema,
  syncResultSchema,
} from '../resources/source.ts';
import { action, list, pageQuery, read, rehearsalQuery } from './operation.ts';

const named = z.strictObject({
  source: sourceNameText.describe('The repository, as the configuration names it.'),
});
const digest = z.string().regex(/^[0-9a-zA-Z:_-]{1,128}$/, 'the digest of a hold, as lists have it');
const ofHold = named.extend({ digest: digest.describe('Of the hold: exactly that is meant.') });
const why = z.strictObject({ reason: reasonText.optional() });
const commit = z
  .string()
  .regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'the full hash, 40 or 64 hexadecimal digits');

/** Sources and their revisions, and what operators and approvers do with them. */
export const sourceOperations = {
  listSources: list({
    id: 'listSources',
    path: '/sources',
    tag: 'Sources',
    summary: 'The repositories that policies come from, by name.',
    answer: sourceSchema,
  }),
  getSource: read({
    id: 'getSource',
    path: '/sources/{source}',
    tag: 'Sources',
    summary: 'One repository that policies come from.',
    parameters: named,
    answer: sourceSchema,
  }),
  listRevisions: list({
    id: 'listRevisions',
    path: '/sources/{source}/revisions',
    tag: 'Sources',
    summary: 'Commits of a source that were judged, newest first; the latest 100.',
    parameters: named,
    query: pageQuery.omit({ after: true }),
    answer: revisionSchema,
  }),
  getRevision: read({
    id: 'getRevision',
    path: '/sources/{source}/revisions/{commit}',
    tag: 'Sources',
    summary: 'What a commit of a source came to when it was judged last, however long ago.',
    parameters: named.extend({ commit: commit.describe('The full hash of the commit.') }),
    answer: revisionSchema,
  }),
  syncSource: action({
    id: 'syncSource',
    path: '/sources/{source}/sync',
    tag: 'Sources',
    summary: 'Looks at a source now.',
    role: 'operator',
    parameters: named,
    query: rehearsalQuery,
    answer: orPreview(syncResultSchema),
  }),
  rollBackSource: action({
    id: 'rollBackSource',
    path: '/sources/{source}/rollback',
    tag: 'Sources',
    summary: 'Puts an earlier revision in force, also while Git is down, and holds the source there.',
    role: 'operator',
    parameters: named,
    body: why.extend({ commit: commit.describe('The full hash of a revision that was active as a whole.') }),
    query: rehearsalQuery,
    answer: orPreview(syncResultSchema),
  }),
  resumeSource: action({
    id: 'resumeSource',
    path: '/sources/{source}/resume',
    tag: 'Sources',
    summary: 'Lets a source follow its ref again after a rollback.',
    role: 'approver',
    parameters: named,
    body: why,
    query: rehearsalQuery,
    answer: orPreview(syncResultSchema),
  }),
  listHolds: list({
    id: 'listHolds',
    path: '/holds',
    tag: 'Holds',
    summary: 'What waits for a person, of every source.',
    answer: listedHoldSchema,
  }),
  approveHold: action({
    id: 'approveHold',
    path: '/sources/{source}/holds/{digest}/approve',
    tag: 'Holds',
    summary: 'Approves exactly one hold; who took part in it, or rejected it, may not.',
    role: 'approver',
    parameters: ofHold,
    body: why,
    query: rehearsalQuery,
    answer: orPreview(syncResultSchema),
  }),
  rejectHold: action({
    id: 'rejectHold',
    path: '/sources/{source}/holds/{digest}/reject',
    tag: 'Holds',
    summary: 'Rejects one hold: what is in force stays.',
    role: 'approver',
    parameters: ofHold,
    body: why,
    query: rehearsalQuery,
    answer: orPreview(sourceSchema),
  }),
} as const;
