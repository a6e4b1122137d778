import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { defineTable, identity, int64, name, text } from './define-table.ts';

/** The last entry of each stream. */
export function streamHeadEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'StreamHead',
    tableName: 'stream_head',
    columns: {
      id: int64(dialect, { primary: true, ...identity(dialect) }),
      stream: name(dialect),
      seq: int64(dialect),
      hash: text(),
      namespace_id: int64(dialect, { nullable: true }),
    },
    indices: [
      { name: 'stream_head_stream', columns: ['stream'], unique: true },
      { name: 'stream_head_namespace_id', columns: ['namespace_id'] },
    ],
  });
}
