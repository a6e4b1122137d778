import type { Fence } from '#ledger';
import { databaseError, fencedError } from '../connection/database-error.ts';
import type { SqlDatabase, SqlOutcome, SqlStatement } from '../connection/sql-database.ts';
import { fenceChecks } from './fence-statements.ts';

/**
 * Stores what the statements change, together or not at all, while the fences are in force.
 *
 * @returns what became of each statement, in their order
 * @throws AdapterError `Fenced` where a fence is not in force any more: nothing was stored
 */
export async function writeFenced(
  database: SqlDatabase,
  fences: readonly Fence[],
  statements: readonly SqlStatement[],
): Promise<readonly SqlOutcome[]> {
  const checks = fenceChecks(database.dialect, fences);
  const written = await database.transaction([...checks, ...statements]);
  if (written.ok) return written.value.slice(checks.length);
  if (written.error.code === 'Fenced') throw fencedError(...fences);
  throw databaseError('QueryFailed', `not stored: ${written.error.code}`);
}
