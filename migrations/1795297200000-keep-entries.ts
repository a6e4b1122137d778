import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/** A trigger refuses to delete an entry, as one refuses to change it: its stream would verify no more. */
export class KeepEntries1795297200000 implements MigrationInterface {
  readonly name = 'KeepEntries1795297200000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        `CREATE TRIGGER ledger_entry_kept BEFORE DELETE ON ledger_entry
          BEGIN SELECT RAISE(ABORT, '${refusal}'); END`,
      ],
      postgres: [
        `CREATE FUNCTION ledger_entry_kept() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN RAISE EXCEPTION '${refusal}'; END $$`,
        `CREATE TRIGGER ledger_entry_kept BEFORE DELETE ON ledger_entry
          FOR EACH ROW EXECUTE FUNCTION ledger_entry_kept()`,
        `CREATE TRIGGER ledger_entry_kept_whole BEFORE TRUNCATE ON ledger_entry
          FOR EACH STATEMENT EXECUTE FUNCTION ledger_entry_kept()`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: ['DROP TRIGGER ledger_entry_kept'],
      postgres: [
        'DROP TRIGGER ledger_entry_kept_whole ON ledger_entry',
        'DROP TRIGGER ledger_entry_kept ON ledger_entry',
        'DROP FUNCTION ledger_entry_kept()',
      ],
    });
  }
}

const refusal = 'a ledger entry is never deleted';
