import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/**
 * Adds the metric series of policies: chunks of passes, which become one per hour when it is over. The index holds only
 * those that are still to be joined.
 */
export class AddMetricSeries1795320000000 implements MigrationInterface {
  readonly name = 'AddMetricSeries1795320000000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        `CREATE TABLE metric_series (
          stream TEXT NOT NULL,
          start_time INTEGER NOT NULL,
          end_time INTEGER NOT NULL,
          row_count INTEGER NOT NULL,
          is_part INTEGER NOT NULL,
          chunk BLOB NOT NULL,
          PRIMARY KEY (stream, start_time)
        ) STRICT`,
        partIndex,
      ],
      postgres: [
        `CREATE TABLE metric_series (
          stream TEXT COLLATE "C" NOT NULL,
          start_time BIGINT NOT NULL,
          end_time BIGINT NOT NULL,
          row_count BIGINT NOT NULL,
          is_part BIGINT NOT NULL,
          chunk BYTEA NOT NULL,
          PRIMARY KEY (stream, start_time)
        )`,
        // They are compressed already.
        'ALTER TABLE metric_series ALTER COLUMN chunk SET STORAGE EXTERNAL',
        partIndex,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE metric_series');
  }
}

const partIndex = 'CREATE INDEX metric_series_part ON metric_series (start_time, stream) WHERE is_part = 1';
