import { z } from 'zod';
import { reportRequestSchema, reportSchema } from '../resources/report.ts';
import { action, document, list, read } from './operation.ts';

const named = z.strictObject({ id: z.uuid().describe('Which report, as lists have it.') });

/** The types of a report's text, by its format. */
export const reportTypes = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  html: 'text/html',
} as const;

/** Reports of what happened in a period. */
export const reportOperations = {
  listReports: list({
    id: 'listReports',
    path: '/reports',
    tag: 'Reports',
    summary: 'The reports that the caller has asked for, newest first; to an administrator, everyone’s.',
    answer: reportSchema,
  }),
  createReport: action({
    id: 'createReport',
    path: '/reports',
    tag: 'Reports',
    summary: 'Has a report made of what the caller may view; it is Ready, or Failed, after a while.',
    role: 'viewer',
    status: 201,
    body: reportRequestSchema,
    answer: reportSchema,
  }),
  getReport: read({
    id: 'getReport',
    path: '/reports/{id}',
    tag: 'Reports',
    summary: 'One report: how far it is, and what it was made from.',
    parameters: named,
    answer: reportSchema,
  }),
  readReport: document({
    id: 'readReport',
    path: '/reports/{id}/text',
    tag: 'Reports',
    summary: 'The text of a report that is Ready, in its format. Each reading is recorded.',
    parameters: named,
    types: Object.values(reportTypes),
  }),
} as const;
