import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { defineTable, int64, name, text } from './define-table.ts';

/** The pull request of each commit. */
export function commitApprovalEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'CommitApproval',
    tableName: 'commit_approval',
    columns: {
      commit_hash: name(dialect, { primary: true }),
      verified: int64(dialect),
      record: text(),
    },
  });
}
