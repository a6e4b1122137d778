import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes ended versions by time, so that a start finds changes that a crash kept out of the ledger. */
export class IndexEndedVersions1795279200000 implements MigrationInterface {
  readonly name = 'IndexEndedVersions1795279200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX policy_version_ended ON policy_version (source, valid_to, position) WHERE valid_to IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX policy_version_ended');
  }
}
