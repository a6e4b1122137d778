import { AdapterError, databaseCondition, messageOf } from '#kernel';
import { RunNotRecorded } from '../activate/record-run.ts';

/** Why a look at a source, or a request, failed. What the database's driver says names addresses, and stays in the log. */
export function failureText(error: unknown): string {
  if (!(error instanceof AdapterError)) return `Bug: ${messageOf(error)}`;
  const { system, code, message } = error;
  if (system !== 'Database' || error instanceof RunNotRecorded) return `${code}: ${message}`;
  return `${code}: the database failed: ${databaseCondition(code)}`;
}
