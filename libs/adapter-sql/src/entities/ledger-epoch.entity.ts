import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../sql-database.ts';
import { defineTable, int64, name } from './define-table.ts';

/** The epoch of each scope's last take-over. */
export function ledgerEpochEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'LedgerEpoch',
    tableName: 'ledger_epoch',
    columns: { scope: name(dialect, { primary: true }), epoch: int64(dialect) },
  });
}
