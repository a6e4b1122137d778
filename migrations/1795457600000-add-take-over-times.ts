import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/** Adds when each scope was taken, in milliseconds since 1970 by the database's clock; null: it was before this. */
export class AddTakeOverTimes1795457600000 implements MigrationInterface {
  readonly name = 'AddTakeOverTimes1795457600000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: ['ALTER TABLE ledger_epoch ADD COLUMN taken_at INTEGER'],
      postgres: ['ALTER TABLE ledger_epoch ADD COLUMN taken_at BIGINT'],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ledger_epoch DROP COLUMN taken_at');
  }
}
