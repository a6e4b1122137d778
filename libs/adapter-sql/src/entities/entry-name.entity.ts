import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { defineTable, identity, int64, name } from './define-table.ts';

/** Namespaces, policies, actors, commits and summaries of decisions, each once: entries refer to them by number. */
export function entryNameEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'EntryName',
    tableName: 'entry_name',
    columns: {
      id: int64(dialect, { primary: true, ...identity(dialect) }),
      kind: name(dialect),
      name: name(dialect),
    },
    indices: [{ name: 'entry_name_kind_name', columns: ['kind', 'name'], unique: true }],
  });
}
