import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/**
 * On SQLite, puts the week first in the index of the runs of policies. Each run is of another policy than the one before, so
 * that the index of policies alone was changed all over with every batch, the more pages the larger the ledger. What is
 * appended is of one week, whose part of the index stays small.
 */
export class ListRunsByWeek1795486400000 implements MigrationInterface {
  readonly name = 'ListRunsByWeek1795486400000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        'DROP INDEX ledger_entry_stream_run_time',
        `CREATE INDEX ledger_entry_run_week
          ON ledger_entry (time_nanoseconds / 604800000000000, stream_id, payload_hash, time_nanoseconds) ${ofRuns}`,
      ],
      postgres: [],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        'DROP INDEX ledger_entry_run_week',
        `CREATE INDEX ledger_entry_stream_run_time ON ledger_entry (stream_id, payload_hash, time_nanoseconds) ${ofRuns}`,
      ],
      postgres: [],
    });
  }
}

const ofRuns = `WHERE kind = 'DecisionRun' AND payload_hash IS NULL`;
