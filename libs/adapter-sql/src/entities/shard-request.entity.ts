import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { defineTable, int64, name, text } from './define-table.ts';

/** What the leader asks the holder of a shard to do, and the answer; null: there is none yet. */
export function shardRequestEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'ShardRequest',
    tableName: 'shard_request',
    columns: {
      id: name(dialect, { primary: true }),
      scope: name(dialect),
      request: text(),
      answer: text({ nullable: true }),
      asked_at: int64(dialect),
    },
  });
}
