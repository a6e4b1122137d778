import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { defineTable, name, text } from './define-table.ts';

/** The latest look at a source, of the process that syncs it. */
export function sourceLookEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'SourceLook',
    tableName: 'source_look',
    columns: { source: name(dialect, { primary: true }), look: text() },
  });
}
