import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes revisions by when they ended: what let a version into force is asked by when it began. */
export class IndexRevisionTimes1795528800000 implements MigrationInterface {
  readonly name = 'IndexRevisionTimes1795528800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX revision_time ON revision (source, finished_at, position)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX revision_time');
  }
}
