import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/**
 * On SQLite, gives the runs of a policy an index of their own, without the kind. Nine of ten entries are runs, each of
 * another policy than the one before, so that a batch writes a page of this index for each of its entries: with the kind in
 * it, that was half of what an append wrote.
 */
export class ListRunsApart1795461200000 implements MigrationInterface {
  readonly name = 'ListRunsApart1795461200000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        'DROP INDEX ledger_entry_stream_kind_time',
        `CREATE INDEX ledger_entry_stream_kind_time ON ledger_entry (stream_id, kind, payload_hash, time_nanoseconds)
          WHERE kind <> 'DecisionRun' AND payload_hash IS NULL`,
        `CREATE INDEX ledger_entry_stream_run_time ON ledger_entry (stream_id, payload_hash, time_nanoseconds)
          WHERE kind = 'DecisionRun' AND payload_hash IS NULL`,
      ],
      postgres: [],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        'DROP INDEX ledger_entry_stream_run_time',
        'DROP INDEX ledger_entry_stream_kind_time',
        `CREATE INDEX ledger_entry_stream_kind_time ON ledger_entry (stream_id, kind, payload_hash, time_nanoseconds)
          WHERE payload_hash IS NULL`,
      ],
      postgres: [],
    });
  }
}
