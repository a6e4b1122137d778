import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { defineTable, int64, name, text } from './define-table.ts';

/** The epoch of each scope's last take-over, its holder, and where that one is reached. */
export function ledgerEpochEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'LedgerEpoch',
    tableName: 'ledger_epoch',
    columns: {
      scope: name(dialect, { primary: true }),
      epoch: int64(dialect),
      holder: text({ nullable: true }),
      renewed_at: int64(dialect, { nullable: true }),
      last_append: text({ nullable: true }),
      taken_at: int64(dialect, { nullable: true }),
      advertised_url: text({ nullable: true }),
    },
  });
}
