import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/**
 * Adds what lists show of a decision, beside its payload: a list that asks for no more reads no payload. Most decisions have
 * it in common with many others, so each text is stored once, as names are. Entries of before have none, and their payloads
 * are read.
 */
export class AddDecisionSummaries1795514400000 implements MigrationInterface {
  readonly name = 'AddDecisionSummaries1795514400000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: ['ALTER TABLE ledger_entry ADD COLUMN summary_id INTEGER'],
      postgres: ['ALTER TABLE ledger_entry ADD COLUMN summary_id BIGINT'],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    const statements = [
      'ALTER TABLE ledger_entry DROP COLUMN summary_id',
      "DELETE FROM entry_name WHERE kind = 'Summary'",
    ];
    await runStatements(runner, { sqlite: statements, postgres: statements });
  }
}
