import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { defineTable, int64, name } from './define-table.ts';

/** How much of each journal of an outage the ledger has. */
export function replayedJournalEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'ReplayedJournal',
    tableName: 'replayed_journal',
    columns: { journal: name(dialect, { primary: true }), last_record: int64(dialect) },
  });
}
