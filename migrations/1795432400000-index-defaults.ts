import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes versions of PolicyDefaults by time: where a policy's values came from is asked of any moment. */
export class IndexDefaults1795432400000 implements MigrationInterface {
  readonly name = 'IndexDefaults1795432400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX policy_version_defaults ON policy_version (source, valid_from) WHERE role = 'Defaults'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX policy_version_defaults');
  }
}
