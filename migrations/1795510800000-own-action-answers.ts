import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds whose requests the kept answers are of; null in rows of the previous release, which are forgotten within a day. */
export class OwnActionAnswers1795510800000 implements MigrationInterface {
  readonly name = 'OwnActionAnswers1795510800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE action_answer ADD COLUMN owner TEXT');
    await runner.query('CREATE INDEX action_answer_by_owner ON action_answer (owner)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX action_answer_by_owner');
    await runner.query('ALTER TABLE action_answer DROP COLUMN owner');
  }
}
