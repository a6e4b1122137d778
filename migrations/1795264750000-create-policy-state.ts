import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/** Creates what a restart restores: one mutable row per policy. JSON is stored as text to keep its bytes. */
export class CreatePolicyState1795264750000 implements MigrationInterface {
  readonly name = 'CreatePolicyState1795264750000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [`CREATE TABLE policy_state (stream TEXT PRIMARY KEY NOT NULL, ${columns}) STRICT`],
      postgres: [`CREATE TABLE policy_state (stream TEXT COLLATE "C" PRIMARY KEY NOT NULL, ${columns})`],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE policy_state');
  }
}

const columns = `
  memory TEXT NOT NULL,
  memory_if_written TEXT,
  open_run TEXT,
  last_decision TEXT,
  updated_at TEXT NOT NULL`;
