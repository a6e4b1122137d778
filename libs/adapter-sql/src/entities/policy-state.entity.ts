import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { defineTable, name, text } from './define-table.ts';

/** What a restart restores: one row per policy, with JSON as text. */
export function policyStateEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'PolicyState',
    tableName: 'policy_state',
    columns: {
      stream: name(dialect, { primary: true }),
      memory: text(),
      memory_if_written: text({ nullable: true }),
      open_run: text({ nullable: true }),
      last_decision: text({ nullable: true }),
      strategy: text({ nullable: true }),
      account: text({ nullable: true }),
      contest: text({ nullable: true }),
      refusal: text({ nullable: true }),
      updated_at: text(),
    },
  });
}
