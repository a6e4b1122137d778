import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/** Adds how much of each journal of an outage the ledger has, so that no record is replayed twice. */
export class AddReplayedJournal1795315200000 implements MigrationInterface {
  readonly name = 'AddReplayedJournal1795315200000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        `CREATE TABLE replayed_journal (
          journal TEXT PRIMARY KEY NOT NULL,
          last_record INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID`,
      ],
      postgres: [
        `CREATE TABLE replayed_journal (
          journal TEXT COLLATE "C" PRIMARY KEY NOT NULL,
          last_record BIGINT NOT NULL
        )`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE replayed_journal');
  }
}
