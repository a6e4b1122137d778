import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/** Adds when each expired segment was recorded last; null in rows of the previous release. */
export class AddSegmentAnnouncement1795410800000 implements MigrationInterface {
  readonly name = 'AddSegmentAnnouncement1795410800000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: ['ALTER TABLE expired_segment ADD COLUMN announced_nanoseconds INTEGER'],
      postgres: ['ALTER TABLE expired_segment ADD COLUMN announced_nanoseconds BIGINT'],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE expired_segment DROP COLUMN announced_nanoseconds');
  }
}
