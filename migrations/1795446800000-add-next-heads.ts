import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/** Adds a place for the heads of a checkpoint that is being made, so that sealed heads change only together with the note. */
export class AddNextHeads1795446800000 implements MigrationInterface {
  readonly name = 'AddNextHeads1795446800000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        `CREATE TABLE next_head (
          stream TEXT PRIMARY KEY NOT NULL,
          seq INTEGER NOT NULL,
          hash TEXT NOT NULL
        ) STRICT, WITHOUT ROWID`,
      ],
      postgres: [
        `CREATE TABLE next_head (
          stream TEXT COLLATE "C" PRIMARY KEY NOT NULL,
          seq BIGINT NOT NULL,
          hash TEXT NOT NULL
        )`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE next_head');
  }
}
