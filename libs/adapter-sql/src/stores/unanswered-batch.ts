import { AdapterError } from '#kernel';
import { type AppendBatch, type LedgerPort, outcomeUnknown } from '#ledger';
import type { SqlDatabase } from '../sql-database.ts';
import { fencesThatStored } from './fence-statements.ts';

/** Where a batch keeps that an answer to it was lost. */
const unanswered = Symbol('unanswered');

/** A batch that may have been sent before. */
export type UnansweredBatch = AppendBatch & { [unanswered]?: true };

/** Notes of a batch that its answer was lost, where that is the error. */
export function noteUnanswered(batch: UnansweredBatch, error: unknown): void {
  if (error instanceof AdapterError && error.code === outcomeUnknown) batch[unanswered] = true;
}

/**
 * Whether a batch that was refused is stored already: then an answer was lost. It is the one that its fences stored last.
 * Whoever has taken them over since has waited for it, and keeps no note of it: then its entries are there. A batch without
 * entries says nothing that the new holder does not say anew.
 */
export async function isStoredAlready(
  database: SqlDatabase,
  ledger: Pick<LedgerPort, 'entry'>,
  batch: UnansweredBatch,
): Promise<boolean> {
  if ((await database.query(fencesThatStored(batch))).length > 0) return true;
  const last = batch.entries.at(-1);
  if (batch[unanswered] !== true || last === undefined) return false;
  return (await ledger.entry(last))?.hash === last.hash;
}
