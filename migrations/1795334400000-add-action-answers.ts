import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/** Adds what requests with an idempotency key were answered with. */
export class AddActionAnswers1795334400000 implements MigrationInterface {
  readonly name = 'AddActionAnswers1795334400000';

  async up(runner: QueryRunner): Promise<void> {
    const index = 'CREATE INDEX action_answer_by_beginning ON action_answer (begun_at)';
    await runStatements(runner, {
      sqlite: [
        `CREATE TABLE action_answer (id TEXT PRIMARY KEY NOT NULL, request TEXT NOT NULL, status INTEGER,
          body TEXT, begun_at TEXT NOT NULL) STRICT, WITHOUT ROWID`,
        index,
      ],
      postgres: [
        `CREATE TABLE action_answer (id TEXT COLLATE "C" PRIMARY KEY NOT NULL, request TEXT NOT NULL,
          status BIGINT, body TEXT, begun_at TEXT NOT NULL)`,
        index,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE action_answer');
  }
}
