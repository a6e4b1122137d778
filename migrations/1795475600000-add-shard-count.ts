import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds over how many shards the policies are spread; null: as many as releases before had. */
export class AddShardCount1795475600000 implements MigrationInterface {
  readonly name = 'AddShardCount1795475600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ledger_identity ADD COLUMN shard_count INTEGER');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ledger_identity DROP COLUMN shard_count');
  }
}
