import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/**
 * Adds how the hash of each entry is made: 1 in entries of earlier releases, which names no format and reads the others.
 * A stream never goes back to an earlier format, so a trigger refuses what such a release would append.
 */
export class AddEntryFormat1795290000000 implements MigrationInterface {
  readonly name = 'AddEntryFormat1795290000000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        'ALTER TABLE ledger_entry ADD COLUMN format INTEGER NOT NULL DEFAULT 1',
        `CREATE TRIGGER ledger_entry_format BEFORE INSERT ON ledger_entry WHEN NEW.format < 2
          BEGIN SELECT RAISE(ABORT, '${refusal}'); END`,
      ],
      postgres: [
        'ALTER TABLE ledger_entry ADD COLUMN format BIGINT NOT NULL DEFAULT 1',
        `CREATE FUNCTION ledger_entry_format() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN RAISE EXCEPTION '${refusal}'; END $$`,
        `CREATE TRIGGER ledger_entry_format BEFORE INSERT ON ledger_entry
          FOR EACH ROW WHEN (NEW.format < 2) EXECUTE FUNCTION ledger_entry_format()`,
      ],
    });
  }

  /** @throws Error where there are entries that the schema before cannot hold: without their format nothing verifies. */
  async down(runner: QueryRunner): Promise<void> {
    const newer: unknown = await runner.query('SELECT position FROM ledger_entry WHERE format > 1 LIMIT 1');
    if (Array.isArray(newer) && newer.length > 0)
      throw new Error('the ledger has entries of format 2, which the schema before cannot hold');
    await runStatements(runner, {
      sqlite: ['DROP TRIGGER ledger_entry_format', 'ALTER TABLE ledger_entry DROP COLUMN format'],
      postgres: [
        'DROP TRIGGER ledger_entry_format ON ledger_entry',
        'DROP FUNCTION ledger_entry_format()',
        'ALTER TABLE ledger_entry DROP COLUMN format',
      ],
    });
  }
}

const refusal = 'this ledger takes entries of format 2; a newer release has written to it';
