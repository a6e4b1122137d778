import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type DialectStatements, runStatements } from './run-statements.ts';

/** A restore makes the table itself where the backup is of an earlier schema. */
export const createRestoredBackup: DialectStatements = {
  sqlite: [
    'CREATE TABLE IF NOT EXISTS restored_backup (made_at TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID',
  ],
  postgres: ['CREATE TABLE IF NOT EXISTS restored_backup (made_at TEXT PRIMARY KEY NOT NULL)'],
};

/** Adds which backup the database was restored from, until the ledger was compared with the published checkpoints. */
export class AddRestoredBackup1795315300000 implements MigrationInterface {
  readonly name = 'AddRestoredBackup1795315300000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, createRestoredBackup);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE restored_backup');
  }
}
