import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

const columns = ['looked_milliseconds', 'looked_until'];

/**
 * Adds how the holder of a shard has looked at its targets when it counted them. A process of the build before says
 * nothing of it (0): others wait for what it counts as for a replica that is silent.
 */
export class AddFleetBrakeLooks1795525200000 implements MigrationInterface {
  readonly name = 'AddFleetBrakeLooks1795525200000';

  async up(runner: QueryRunner): Promise<void> {
    const add = (type: string): string[] =>
      columns.map((column) => `ALTER TABLE fleet_brake_loss ADD COLUMN ${column} ${type} NOT NULL DEFAULT 0`);
    await runStatements(runner, { sqlite: add('INTEGER'), postgres: add('BIGINT') });
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of columns) await runner.query(`ALTER TABLE fleet_brake_loss DROP COLUMN ${column}`);
  }
}
