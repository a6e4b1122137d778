import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { defineTable, int64, name, text } from './define-table.ts';

/** What requests with an idempotency key were answered with. */
export function actionAnswerEntity(dialect: SqlDialect): EntitySchema {
  return defineTable({
    name: 'ActionAnswer',
    tableName: 'action_answer',
    columns: {
      id: name(dialect, { primary: true }),
      request: text(),
      status: int64(dialect, { nullable: true }),
      body: text({ nullable: true }),
      begunAt: text({ name: 'begun_at' }),
      owner: text({ nullable: true }),
    },
    indices: [
      { name: 'action_answer_by_beginning', columns: ['begunAt'] },
      { name: 'action_answer_by_owner', columns: ['owner'] },
    ],
  });
}
