import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds how the holder of each scope is reached by other replicas; null where it did not say, as in rows of the previous release. */
export class AddAdvertisedUrls1795539600000 implements MigrationInterface {
  readonly name = 'AddAdvertisedUrls1795539600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ledger_epoch ADD COLUMN advertised_url TEXT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ledger_epoch DROP COLUMN advertised_url');
  }
}
