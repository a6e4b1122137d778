import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/**
 * Adds who holds each scope, when the holder renewed it, in milliseconds since 1970 by the database's clock, and the id
 * of the last batch that was stored under its fence. All are null where the scope is free, as in rows of the previous
 * release.
 */
export class AddFenceHolder1795282800000 implements MigrationInterface {
  readonly name = 'AddFenceHolder1795282800000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, { sqlite: columns('INTEGER'), postgres: columns('BIGINT') });
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of ['last_append', 'renewed_at', 'holder'])
      await runner.query(`ALTER TABLE ledger_epoch DROP COLUMN ${column}`);
  }
}

function columns(integer: string): readonly string[] {
  return [
    'ALTER TABLE ledger_epoch ADD COLUMN holder TEXT',
    `ALTER TABLE ledger_epoch ADD COLUMN renewed_at ${integer}`,
    'ALTER TABLE ledger_epoch ADD COLUMN last_append TEXT',
  ];
}
