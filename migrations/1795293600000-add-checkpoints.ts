import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/** Adds the ledger's id, its last checkpoint, and the heads that it was made over. */
export class AddCheckpoints1795293600000 implements MigrationInterface {
  readonly name = 'AddCheckpoints1795293600000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        'CREATE TABLE ledger_identity (id TEXT PRIMARY KEY NOT NULL, last_note TEXT) STRICT, WITHOUT ROWID',
        'INSERT INTO ledger_identity (id) VALUES (lower(hex(randomblob(16))))',
        `CREATE TABLE sealed_head (
          stream TEXT PRIMARY KEY NOT NULL,
          seq INTEGER NOT NULL,
          hash TEXT NOT NULL
        ) STRICT, WITHOUT ROWID`,
      ],
      postgres: [
        'CREATE TABLE ledger_identity (id TEXT PRIMARY KEY NOT NULL, last_note TEXT)',
        `INSERT INTO ledger_identity (id) VALUES (replace(gen_random_uuid()::text, '-', ''))`,
        `CREATE TABLE sealed_head (
          stream TEXT COLLATE "C" PRIMARY KEY NOT NULL,
          seq BIGINT NOT NULL,
          hash TEXT NOT NULL
        )`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['sealed_head', 'ledger_identity']) await runner.query(`DROP TABLE ${table}`);
  }
}
