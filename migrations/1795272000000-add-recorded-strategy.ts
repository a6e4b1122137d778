import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds how each policy was carried out when that was last recorded; the next StrategyChange is derived from it. */
export class AddRecordedStrategy1795272000000 implements MigrationInterface {
  readonly name = 'AddRecordedStrategy1795272000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE policy_state ADD COLUMN strategy TEXT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE policy_state DROP COLUMN strategy');
  }
}
