import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/**
 * Lets retention, and nothing else, take content out of entries and delete those at the beginning of a stream: a
 * transaction that has a row in `retention_permit`, which it deletes again. What an entry is found and verified by never
 * changes. Lists have entries with a payload only, so their indexes have no others.
 */
export class AddRetention1795308100000 implements MigrationInterface {
  readonly name = 'AddRetention1795308100000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        'CREATE TABLE retention_permit (id INTEGER PRIMARY KEY NOT NULL) STRICT',
        `CREATE TABLE retention_rule (
          kind TEXT NOT NULL,
          content TEXT NOT NULL,
          before_nanoseconds INTEGER NOT NULL,
          PRIMARY KEY (kind, content)
        ) STRICT, WITHOUT ROWID`,
        `CREATE TABLE expired_segment (
          stream TEXT PRIMARY KEY NOT NULL,
          seq INTEGER NOT NULL,
          hash TEXT NOT NULL
        ) STRICT, WITHOUT ROWID`,
        'DROP TRIGGER ledger_entry_unchanged',
        'DROP TRIGGER ledger_entry_kept',
        `CREATE TRIGGER ledger_entry_unchanged BEFORE UPDATE ON ledger_entry
          WHEN NOT EXISTS (SELECT 1 FROM retention_permit) OR ${headerChanges('IS NOT')}
          BEGIN SELECT RAISE(ABORT, '${unchanged}'); END`,
        `CREATE TRIGGER ledger_entry_kept BEFORE DELETE ON ledger_entry
          WHEN NOT EXISTS (SELECT 1 FROM retention_permit)
          BEGIN SELECT RAISE(ABORT, '${kept}'); END`,
        ...replaceIndexes({ before: ', payload_hash', after: '' }, true),
        observationIndex,
      ],
      postgres: [
        'CREATE TABLE retention_permit (id BIGINT PRIMARY KEY NOT NULL)',
        `CREATE TABLE retention_rule (
          kind TEXT COLLATE "C" NOT NULL,
          content TEXT COLLATE "C" NOT NULL,
          before_nanoseconds BIGINT NOT NULL,
          PRIMARY KEY (kind, content)
        )`,
        `CREATE TABLE expired_segment (
          stream TEXT COLLATE "C" PRIMARY KEY NOT NULL,
          seq BIGINT NOT NULL,
          hash TEXT NOT NULL
        )`,
        `CREATE OR REPLACE FUNCTION ledger_entry_unchanged() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF NOT EXISTS (SELECT 1 FROM retention_permit) OR ${headerChanges('IS DISTINCT FROM')} THEN
            RAISE EXCEPTION '${unchanged}';
          END IF;
          RETURN NEW;
        END $$`,
        `CREATE FUNCTION ledger_entry_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF NOT EXISTS (SELECT 1 FROM retention_permit) THEN RAISE EXCEPTION '${kept}'; END IF;
          RETURN OLD;
        END $$`,
        'DROP TRIGGER ledger_entry_kept ON ledger_entry',
        `CREATE TRIGGER ledger_entry_kept BEFORE DELETE ON ledger_entry
          FOR EACH ROW EXECUTE FUNCTION ledger_entry_deleted()`,
        ...replaceIndexes({ before: '', after: ', position' }, true),
      ],
    });
  }

  /** @throws Error where entries have been deleted, which the schema before would not know. */
  async down(runner: QueryRunner): Promise<void> {
    const expired: unknown = await runner.query('SELECT stream FROM expired_segment LIMIT 1');
    if (Array.isArray(expired) && expired.length > 0)
      throw new Error('entries of the ledger have expired, which the schema before cannot hold');
    await runStatements(runner, {
      sqlite: [
        'DROP INDEX ledger_entry_observation_time',
        'DROP TRIGGER ledger_entry_unchanged',
        'DROP TRIGGER ledger_entry_kept',
        `CREATE TRIGGER ledger_entry_unchanged BEFORE UPDATE ON ledger_entry
          BEGIN SELECT RAISE(ABORT, '${unchanged}'); END`,
        `CREATE TRIGGER ledger_entry_kept BEFORE DELETE ON ledger_entry
          BEGIN SELECT RAISE(ABORT, '${kept}'); END`,
        ...replaceIndexes({ before: '', after: '' }, false),
      ],
      postgres: [
        `CREATE OR REPLACE FUNCTION ledger_entry_unchanged() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN RAISE EXCEPTION '${unchanged}'; END $$`,
        'DROP TRIGGER ledger_entry_kept ON ledger_entry',
        'DROP FUNCTION ledger_entry_deleted()',
        `CREATE TRIGGER ledger_entry_kept BEFORE DELETE ON ledger_entry
          FOR EACH ROW EXECUTE FUNCTION ledger_entry_kept()`,
        ...replaceIndexes({ before: '', after: ', position' }, false),
      ],
    });
    for (const table of ['expired_segment', 'retention_rule', 'retention_permit'])
      await runner.query(`DROP TABLE ${table}`);
  }
}

const unchanged = 'a ledger entry is never changed';
const kept = 'a ledger entry is never deleted';

/** What an entry is found and verified by. */
const header =
  'position, stream_id, seq, cluster, kind, time, time_nanoseconds, action, previous_hash, hash, format'.split(
    ', ',
  );

function headerChanges(differs: 'IS NOT' | 'IS DISTINCT FROM'): string {
  return header.map((column) => `NEW.${column} ${differs} OLD.${column}`).join(' OR ');
}

const indexes = [
  { name: 'kind_time', columns: 'kind', where: null },
  { name: 'stream_kind_time', columns: 'stream_id, kind', where: null },
  { name: 'action_time', columns: 'action', where: 'action IS NOT NULL' },
  { name: 'stream_action_time', columns: 'stream_id, action', where: 'action IS NOT NULL' },
];

/** SQLite reads a page from the index alone only where that has every column that is named. */
function replaceIndexes(
  { before, after }: { readonly before: string; readonly after: string },
  isOfPayloads: boolean,
): readonly string[] {
  return indexes.flatMap(({ name, columns, where }) => {
    const terms = [where, isOfPayloads ? 'payload_hash IS NULL' : null].filter((term) => term !== null);
    const condition = terms.length === 0 ? '' : ` WHERE ${terms.join(' AND ')}`;
    return [
      `DROP INDEX ledger_entry_${name}`,
      `CREATE INDEX ledger_entry_${name} ON ledger_entry (${columns}${before}, time_nanoseconds${after})${condition}`,
    ];
  });
}

/** The decisions that have an observation. In PostgreSQL it would take more than it is worth: 45 bytes of each. */
const observationIndex = `CREATE INDEX ledger_entry_observation_time ON ledger_entry (time_nanoseconds)
  WHERE kind = 'Decision' AND payload_hash IS NULL AND observation_hash IS NULL`;
