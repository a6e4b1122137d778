import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { defineTable, name, text } from './define-table.ts';

/** The interventions that stand: one row each, with JSON as text. */
export function interventionEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'Intervention',
    tableName: 'intervention',
    columns: { id: name(dialect, { primary: true }), record: text() },
  });
}
