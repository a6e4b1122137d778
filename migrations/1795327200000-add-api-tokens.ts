import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/** Adds the API tokens that were made through the API: their hashes, never the tokens. */
export class AddApiTokens1795327200000 implements MigrationInterface {
  readonly name = 'AddApiTokens1795327200000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        `CREATE TABLE api_token (id TEXT PRIMARY KEY NOT NULL, revision INTEGER NOT NULL,
          record TEXT NOT NULL, last_used_at TEXT) STRICT, WITHOUT ROWID`,
        'CREATE INDEX api_token_by_revision ON api_token (revision)',
      ],
      postgres: [
        `CREATE TABLE api_token (id TEXT COLLATE "C" PRIMARY KEY NOT NULL, revision BIGINT NOT NULL,
          record TEXT NOT NULL, last_used_at TEXT)`,
        'CREATE INDEX api_token_by_revision ON api_token (revision)',
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_token');
  }
}
