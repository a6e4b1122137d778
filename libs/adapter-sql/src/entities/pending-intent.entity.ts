import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { defineTable, int64, name } from './define-table.ts';

/** The intents without an outcome, at most one per stream. */
export function pendingIntentEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'PendingIntent',
    tableName: 'pending_intent',
    columns: { stream: name(dialect, { primary: true }), seq: int64(dialect) },
  });
}
