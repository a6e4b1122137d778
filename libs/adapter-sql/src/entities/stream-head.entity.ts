import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../sql-database.ts';
import { defineTable, int64, name, text } from './define-table.ts';

/** Where each stream ends. */
export function streamHeadEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'StreamHead',
    tableName: 'stream_head',
    columns: {
      stream: name(dialect, { primary: true }),
      seq: int64(dialect),
      hash: text(),
    },
  });
}
