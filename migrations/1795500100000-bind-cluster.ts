import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/** Adds of which cluster the database is: the uid of its namespace kube-system, and what it is called; null: not known yet. */
export class BindCluster1795500100000 implements MigrationInterface {
  readonly name = 'BindCluster1795500100000';

  async up(runner: QueryRunner): Promise<void> {
    const statements = ['cluster_uid', 'cluster_name'].map(
      (column) => `ALTER TABLE ledger_identity ADD COLUMN ${column} TEXT`,
    );
    await runStatements(runner, { sqlite: statements, postgres: statements });
  }

  async down(runner: QueryRunner): Promise<void> {
    const statements = ['cluster_name', 'cluster_uid'].map(
      (column) => `ALTER TABLE ledger_identity DROP COLUMN ${column}`,
    );
    await runStatements(runner, { sqlite: statements, postgres: statements });
  }
}
