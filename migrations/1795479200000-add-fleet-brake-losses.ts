import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/** Adds what replicas count for the fleet brake, by scope and source of metrics. One process alone never writes it. */
export class AddFleetBrakeLosses1795479200000 implements MigrationInterface {
  readonly name = 'AddFleetBrakeLosses1795479200000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        `CREATE TABLE fleet_brake_loss (
          scope TEXT NOT NULL,
          metric_source TEXT NOT NULL,
          losing INTEGER NOT NULL,
          epoch INTEGER NOT NULL,
          stored_at INTEGER NOT NULL,
          PRIMARY KEY (scope, metric_source)
        ) STRICT`,
      ],
      postgres: [
        `CREATE TABLE fleet_brake_loss (
          scope TEXT COLLATE "C" NOT NULL,
          metric_source TEXT COLLATE "C" NOT NULL,
          losing BIGINT NOT NULL,
          epoch BIGINT NOT NULL,
          stored_at BIGINT NOT NULL,
          PRIMARY KEY (scope, metric_source)
        )`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE fleet_brake_loss');
  }
}
