import { AdapterError } from '#kernel';
import { type AppendBatch, type LedgerPort, outcomeUnknown } from '#ledger';
import type { SqlDatabase } from '../connection/sql-database.ts';
import { fencesThatStored } from './fence-statements.ts';

/** The batches that may be stored although no answer said so, and whether they are. */
export class UnansweredBatches {
  readonly #batches = new WeakSet<AppendBatch>();

  /** Keeps of a batch that its answer was lost, where that is the error. */
  note(batch: AppendBatch, error: unknown): void {
    if (error instanceof AdapterError && error.code === outcomeUnknown) this.#batches.add(batch);
  }

  /**
   * Whether a batch that was refused is stored already: then an answer was lost. It is the one that its fences stored last.
   * Whoever has taken them over since has waited for it, and keeps no note of it: then its entries are there. A batch without
   * entries says nothing that the new holder does not say anew.
   */
  async isStored(
    batch: AppendBatch,
    database: SqlDatabase,
    ledger: Pick<LedgerPort, 'entry'>,
  ): Promise<boolean> {
    if ((await database.query(fencesThatStored(batch))).length > 0) return true;
    const last = batch.entries.at(-1);
    if (!this.#batches.has(batch) || last === undefined) return false;
    return (await ledger.entry(last))?.hash === last.hash;
  }
}
