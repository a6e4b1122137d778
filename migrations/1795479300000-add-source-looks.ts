import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/** Adds the latest look at each source, JSON as text, for the replicas that do not look. One process alone never writes it. */
export class AddSourceLooks1795479300000 implements MigrationInterface {
  readonly name = 'AddSourceLooks1795479300000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [`CREATE TABLE source_look (source TEXT PRIMARY KEY NOT NULL, look TEXT NOT NULL) STRICT`],
      postgres: [
        `CREATE TABLE source_look (source TEXT COLLATE "C" PRIMARY KEY NOT NULL, look TEXT NOT NULL)`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE source_look');
  }
}
