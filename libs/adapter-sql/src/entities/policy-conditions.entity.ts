import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { defineTable, name, text } from './define-table.ts';

/** What people see of a policy: one row per policy, its conditions as JSON. */
export function policyConditionsEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'PolicyConditions',
    tableName: 'policy_conditions',
    columns: {
      stream: name(dialect, { primary: true }),
      conditions: text(),
    },
  });
}
