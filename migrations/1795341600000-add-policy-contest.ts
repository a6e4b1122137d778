import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds what others undid of each policy; null in rows of the previous release. */
export class AddPolicyContest1795341600000 implements MigrationInterface {
  readonly name = 'AddPolicyContest1795341600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE policy_state ADD COLUMN contest TEXT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE policy_state DROP COLUMN contest');
  }
}
