import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/**
 * Adds what the leader asks the holders of shards to do, and what they answer, JSON as text; `asked_at` is in milliseconds
 * since 1970 by the database's clock. One process alone never writes it.
 */
export class AddShardRequests1795479400000 implements MigrationInterface {
  readonly name = 'AddShardRequests1795479400000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        `CREATE TABLE shard_request (
          id TEXT PRIMARY KEY NOT NULL,
          scope TEXT NOT NULL,
          request TEXT NOT NULL,
          answer TEXT,
          asked_at INTEGER NOT NULL
        ) STRICT`,
      ],
      postgres: [
        `CREATE TABLE shard_request (
          id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
          scope TEXT COLLATE "C" NOT NULL,
          request TEXT NOT NULL,
          answer TEXT,
          asked_at BIGINT NOT NULL
        )`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE shard_request');
  }
}
