import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/** Creates the state of each source, the record of its commits, and which document was active when. */
export class CreateRevisions1795267200000 implements MigrationInterface {
  readonly name = 'CreateRevisions1795267200000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [...sqliteTables, ...indexes],
      postgres: [...postgresTables, ...indexes],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['policy_version', 'revision', 'sync_source'])
      await runner.query(`DROP TABLE ${table}`);
  }
}

const sqliteTables = [
  'CREATE TABLE sync_source (source TEXT PRIMARY KEY NOT NULL, state TEXT NOT NULL) STRICT, WITHOUT ROWID',
  `CREATE TABLE revision (
    position INTEGER PRIMARY KEY NOT NULL,
    source TEXT NOT NULL,
    commit_hash TEXT NOT NULL,
    finished_at TEXT NOT NULL,
    record TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE policy_version (
    position INTEGER PRIMARY KEY NOT NULL,
    source TEXT NOT NULL,
    role TEXT NOT NULL,
    tenant TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    valid_from TEXT NOT NULL,
    valid_to TEXT,
    record TEXT NOT NULL
  ) STRICT`,
];

const postgresTables = [
  'CREATE TABLE sync_source (source TEXT COLLATE "C" PRIMARY KEY NOT NULL, state TEXT NOT NULL)',
  `CREATE TABLE revision (
    position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY NOT NULL,
    source TEXT COLLATE "C" NOT NULL,
    commit_hash TEXT NOT NULL,
    finished_at TEXT NOT NULL,
    record TEXT NOT NULL
  )`,
  `CREATE TABLE policy_version (
    position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY NOT NULL,
    source TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    tenant TEXT COLLATE "C" NOT NULL,
    namespace TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    valid_from TEXT COLLATE "C" NOT NULL,
    valid_to TEXT COLLATE "C",
    record TEXT NOT NULL
  )`,
];

const indexes = [
  'CREATE INDEX revision_source ON revision (source, position)',
  'CREATE INDEX policy_version_in_force ON policy_version (source, position) WHERE valid_to IS NULL',
  `CREATE UNIQUE INDEX policy_version_identity ON policy_version (source, role, namespace, name, tenant)
    WHERE valid_to IS NULL`,
  'CREATE INDEX policy_version_name ON policy_version (namespace, name, valid_from)',
];
