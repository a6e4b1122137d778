import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/** Adds the interventions that stand. */
export class AddInterventions1795304400000 implements MigrationInterface {
  readonly name = 'AddInterventions1795304400000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        'CREATE TABLE intervention (id TEXT PRIMARY KEY NOT NULL, record TEXT NOT NULL) STRICT, WITHOUT ROWID',
      ],
      postgres: [
        'CREATE TABLE intervention (id TEXT COLLATE "C" PRIMARY KEY NOT NULL, record TEXT NOT NULL)',
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE intervention');
  }
}
