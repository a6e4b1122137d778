import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/** Creates what people see of each policy: its conditions, one mutable row per policy, JSON as text. */
export class AddPolicyConditions1795300800000 implements MigrationInterface {
  readonly name = 'AddPolicyConditions1795300800000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        `CREATE TABLE policy_conditions (
          stream TEXT PRIMARY KEY NOT NULL,
          conditions TEXT NOT NULL
        ) STRICT, WITHOUT ROWID`,
      ],
      postgres: [
        `CREATE TABLE policy_conditions (
          stream TEXT COLLATE "C" PRIMARY KEY NOT NULL,
          conditions TEXT NOT NULL
        )`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE policy_conditions');
  }
}
