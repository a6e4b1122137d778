import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the write of each policy that the API server refuses; null in rows of the previous release. */
export class AddPolicyRefusal1795532400000 implements MigrationInterface {
  readonly name = 'AddPolicyRefusal1795532400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE policy_state ADD COLUMN refusal TEXT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE policy_state DROP COLUMN refusal');
  }
}
