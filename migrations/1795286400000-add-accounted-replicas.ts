import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds up to where changes of each policy's replicas are recorded; null in rows of the previous release. */
export class AddAccountedReplicas1795286400000 implements MigrationInterface {
  readonly name = 'AddAccountedReplicas1795286400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE policy_state ADD COLUMN account TEXT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE policy_state DROP COLUMN account');
  }
}
