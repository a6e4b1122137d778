import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { defineTable, int64, name, text } from './define-table.ts';

/** The API tokens that were made through the API: one row each, with JSON as text. */
export function apiTokenEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'ApiToken',
    tableName: 'api_token',
    columns: {
      id: name(dialect, { primary: true }),
      revision: int64(dialect),
      record: text(),
      lastUsedAt: text({ name: 'last_used_at', nullable: true }),
    },
    indices: [{ name: 'api_token_by_revision', columns: ['revision'] }],
  });
}
