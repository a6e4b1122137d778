import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/**
 * Creates the ledger. SQLite's indexes end in the row's number by themselves, so only PostgreSQL's name `position`.
 * Entries refer to their stream by number: its name would make two indexes three times as large. A trigger refuses
 * every change of an entry.
 */
export class CreateLedger1795264749000 implements MigrationInterface {
  readonly name = 'CreateLedger1795264749000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, { sqlite: [...sqliteTables, ...sqliteIndexes], postgres });
  }

  async down(runner: QueryRunner): Promise<void> {
    const drops = tables.map((table) => `DROP TABLE ${table}`);
    await runStatements(runner, {
      sqlite: drops,
      postgres: [...drops, 'DROP FUNCTION ledger_entry_unchanged()'],
    });
  }
}

const tables = ['pending_intent', 'ledger_epoch', 'ledger_entry', 'stream_head'];

const sqliteTables = [
  `CREATE TABLE stream_head (
    id INTEGER PRIMARY KEY NOT NULL,
    stream TEXT NOT NULL,
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE ledger_entry (
    position INTEGER PRIMARY KEY NOT NULL,
    stream_id INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    cluster TEXT NOT NULL,
    kind TEXT NOT NULL,
    time TEXT NOT NULL,
    time_nanoseconds INTEGER NOT NULL,
    action TEXT,
    payload TEXT NOT NULL,
    previous_hash TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE ledger_epoch (
    scope TEXT PRIMARY KEY NOT NULL,
    epoch INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE pending_intent (
    stream TEXT PRIMARY KEY NOT NULL,
    seq INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
];

const sqliteIndexes = [
  'CREATE UNIQUE INDEX stream_head_stream ON stream_head (stream)',
  'CREATE UNIQUE INDEX ledger_entry_stream_seq ON ledger_entry (stream_id, seq)',
  'CREATE INDEX ledger_entry_kind_time ON ledger_entry (kind, time_nanoseconds)',
  'CREATE INDEX ledger_entry_stream_kind_time ON ledger_entry (stream_id, kind, time_nanoseconds)',
  'CREATE INDEX ledger_entry_action_time ON ledger_entry (action, time_nanoseconds) WHERE action IS NOT NULL',
  'CREATE INDEX ledger_entry_stream_action_time ON ledger_entry (stream_id, action, time_nanoseconds) WHERE action IS NOT NULL',
  `CREATE TRIGGER ledger_entry_unchanged BEFORE UPDATE ON ledger_entry
    BEGIN SELECT RAISE(ABORT, 'a ledger entry is never changed'); END`,
];

const postgres = [
  `CREATE TABLE stream_head (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY NOT NULL,
    stream TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    hash TEXT NOT NULL
  )`,
  `CREATE TABLE ledger_entry (
    position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY NOT NULL,
    stream_id BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    cluster TEXT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    time TEXT NOT NULL,
    time_nanoseconds BIGINT NOT NULL,
    action TEXT COLLATE "C",
    payload TEXT NOT NULL,
    previous_hash TEXT NOT NULL,
    hash TEXT NOT NULL
  )`,
  `CREATE TABLE ledger_epoch (
    scope TEXT COLLATE "C" PRIMARY KEY NOT NULL,
    epoch BIGINT NOT NULL
  )`,
  `CREATE TABLE pending_intent (
    stream TEXT COLLATE "C" PRIMARY KEY NOT NULL,
    seq BIGINT NOT NULL
  )`,
  'CREATE UNIQUE INDEX stream_head_stream ON stream_head (stream)',
  'CREATE UNIQUE INDEX ledger_entry_stream_seq ON ledger_entry (stream_id, seq)',
  'CREATE INDEX ledger_entry_kind_time ON ledger_entry (kind, time_nanoseconds, position)',
  'CREATE INDEX ledger_entry_stream_kind_time ON ledger_entry (stream_id, kind, time_nanoseconds, position)',
  'CREATE INDEX ledger_entry_action_time ON ledger_entry (action, time_nanoseconds, position) WHERE action IS NOT NULL',
  'CREATE INDEX ledger_entry_stream_action_time ON ledger_entry (stream_id, action, time_nanoseconds, position) WHERE action IS NOT NULL',
  `CREATE FUNCTION ledger_entry_unchanged() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'a ledger entry is never changed'; END $$`,
  `CREATE TRIGGER ledger_entry_unchanged BEFORE UPDATE ON ledger_entry
    FOR EACH ROW EXECUTE FUNCTION ledger_entry_unchanged()`,
];
