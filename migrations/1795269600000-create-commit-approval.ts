import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/** Creates the pull request of each commit, as the forge or the commit's message names it. */
export class CreateCommitApproval1795269600000 implements MigrationInterface {
  readonly name = 'CreateCommitApproval1795269600000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        `CREATE TABLE commit_approval (
          commit_hash TEXT PRIMARY KEY NOT NULL,
          verified INTEGER NOT NULL,
          record TEXT NOT NULL
        ) STRICT, WITHOUT ROWID`,
      ],
      postgres: [
        `CREATE TABLE commit_approval (
          commit_hash TEXT COLLATE "C" PRIMARY KEY NOT NULL,
          verified BIGINT NOT NULL,
          record TEXT NOT NULL
        )`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE commit_approval');
  }
}
