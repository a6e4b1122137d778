import type { MigrationInterface, QueryRunner } from 'typeorm';
import { fillPoliciesOfActions } from './fill-entry-names.ts';
import { runStatements } from './run-statements.ts';

/**
 * Adds the policy that an operator's action names, also of those before: lists of a policy find them by it, since they are
 * not in its stream. One that the release before appends has none, and is not found.
 */
export class AddPoliciesOfActions1795521600000 implements MigrationInterface {
  readonly name = 'AddPoliciesOfActions1795521600000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: ['ALTER TABLE ledger_entry ADD COLUMN policy_id INTEGER'],
      postgres: ['ALTER TABLE ledger_entry ADD COLUMN policy_id BIGINT'],
    });
    await fillPoliciesOfActions(runner);
    await runStatements(runner, {
      sqlite: [index('payload_hash, time_nanoseconds')],
      postgres: [index('time_nanoseconds, position')],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    const statements = [
      'DROP INDEX ledger_entry_policy_kind_time',
      'ALTER TABLE ledger_entry DROP COLUMN policy_id',
      "DELETE FROM entry_name WHERE kind = 'Policy'",
    ];
    await runStatements(runner, { sqlite: statements, postgres: statements });
  }
}

function index(order: string): string {
  return `CREATE INDEX ledger_entry_policy_kind_time ON ledger_entry (policy_id, kind, ${order})
    WHERE policy_id IS NOT NULL AND payload_hash IS NULL`;
}
