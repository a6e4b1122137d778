import type { MigrationInterface, QueryRunner } from 'typeorm';
import { fillNames, fillNamespaces } from './fill-entry-names.ts';
import { runStatements } from './run-statements.ts';

/**
 * Adds what lists find entries by, beside their stream and kind: the namespace of the stream, the actor and the commit
 * that the payload names. Each name is stored once, since a commit is in force for thousands of entries. Triggers give
 * streams their namespace, and entries that of their stream where a release before appends without it.
 */
export class AddEntryNames1795323600000 implements MigrationInterface {
  readonly name = 'AddEntryNames1795323600000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        `CREATE TABLE entry_name (
          id INTEGER PRIMARY KEY NOT NULL,
          kind TEXT NOT NULL,
          name TEXT NOT NULL
        ) STRICT`,
        ...nameColumns('INTEGER'),
        'DROP TRIGGER ledger_entry_unchanged',
        `CREATE TRIGGER ledger_entry_unchanged BEFORE UPDATE ON ledger_entry
          WHEN NOT EXISTS (SELECT 1 FROM retention_permit)
            OR ${changes(header, 'IS NOT')} OR ${replaces('IS NOT')}
          BEGIN SELECT RAISE(ABORT, '${unchanged}'); END`,
      ],
      postgres: [
        `CREATE TABLE entry_name (
          id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY NOT NULL,
          kind TEXT COLLATE "C" NOT NULL,
          name TEXT COLLATE "C" NOT NULL
        )`,
        ...nameColumns('BIGINT'),
        postgresUnchanged(`${changes(header, 'IS DISTINCT FROM')} OR ${replaces('IS DISTINCT FROM')}`),
      ],
    });
    await fillNamespaces(runner);
    await fillNames(runner);
    await runStatements(runner, {
      sqlite: [...indexes({ before: ', payload_hash', after: '' }), ...sqliteTriggers],
      postgres: [...indexes({ before: '', after: ', position' }), ...postgresTriggers],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        'DROP TRIGGER stream_head_namespace',
        'DROP TRIGGER ledger_entry_namespace',
        'DROP TRIGGER ledger_entry_unchanged',
        ...dropped,
        `CREATE TRIGGER ledger_entry_unchanged BEFORE UPDATE ON ledger_entry
          WHEN NOT EXISTS (SELECT 1 FROM retention_permit) OR ${changes(header, 'IS NOT')}
          BEGIN SELECT RAISE(ABORT, '${unchanged}'); END`,
      ],
      postgres: [
        'DROP TRIGGER stream_head_namespace ON stream_head',
        'DROP TRIGGER ledger_entry_namespace ON ledger_entry',
        'DROP FUNCTION stream_head_namespace()',
        'DROP FUNCTION ledger_entry_namespace()',
        ...dropped,
        postgresUnchanged(changes(header, 'IS DISTINCT FROM')),
      ],
    });
  }
}

const unchanged = 'a ledger entry is never changed';

/** What an entry is found and verified by. */
const header =
  'position, stream_id, seq, cluster, kind, time, time_nanoseconds, action, previous_hash, hash, format'.split(
    ', ',
  );
const named = ['namespace_id', 'actor_id', 'commit_id'];

function changes(columns: readonly string[], differs: 'IS NOT' | 'IS DISTINCT FROM'): string {
  return columns.map((column) => `NEW.${column} ${differs} OLD.${column}`).join(' OR ');
}

/** A name may be added to an entry that has none. */
function replaces(differs: 'IS NOT' | 'IS DISTINCT FROM'): string {
  return named
    .map((column) => `(OLD.${column} IS NOT NULL AND NEW.${column} ${differs} OLD.${column})`)
    .join(' OR ');
}

function postgresUnchanged(isRefused: string): string {
  return `CREATE OR REPLACE FUNCTION ledger_entry_unchanged() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM retention_permit) OR ${isRefused} THEN RAISE EXCEPTION '${unchanged}'; END IF;
    RETURN NEW;
  END $$`;
}

function nameColumns(integer: string): readonly string[] {
  return [
    'CREATE UNIQUE INDEX entry_name_kind_name ON entry_name (kind, name)',
    `ALTER TABLE stream_head ADD COLUMN namespace_id ${integer}`,
    ...named.map((column) => `ALTER TABLE ledger_entry ADD COLUMN ${column} ${integer}`),
  ];
}

function indexes({ before, after }: { readonly before: string; readonly after: string }): readonly string[] {
  return named.map(
    (column) => `CREATE INDEX ledger_entry_${column.replace('_id', '')}_kind_time
      ON ledger_entry (${column}, kind${before}, time_nanoseconds${after})
      WHERE ${column} IS NOT NULL AND payload_hash IS NULL`,
  );
}

const dropped = [
  ...named.flatMap((column) => [
    `DROP INDEX ledger_entry_${column.replace('_id', '')}_kind_time`,
    `ALTER TABLE ledger_entry DROP COLUMN ${column}`,
  ]),
  'ALTER TABLE stream_head DROP COLUMN namespace_id',
  'DROP TABLE entry_name',
];

const sqliteNamespace = `substr(NEW.stream, instr(NEW.stream, ':') + 1,
  instr(NEW.stream, '/') - instr(NEW.stream, ':') - 1)`;

const sqliteTriggers = [
  `CREATE TRIGGER stream_head_namespace AFTER INSERT ON stream_head WHEN instr(NEW.stream, '/') > 0 BEGIN
    INSERT INTO entry_name (kind, name) SELECT 'Namespace', ${sqliteNamespace} WHERE NOT EXISTS (
      SELECT 1 FROM entry_name WHERE kind = 'Namespace' AND name = ${sqliteNamespace});
    UPDATE stream_head SET namespace_id = (
      SELECT id FROM entry_name WHERE kind = 'Namespace' AND name = ${sqliteNamespace}) WHERE id = NEW.id;
  END`,
  `CREATE TRIGGER ledger_entry_namespace AFTER INSERT ON ledger_entry
    WHEN NEW.namespace_id IS NULL AND EXISTS (
      SELECT 1 FROM stream_head WHERE id = NEW.stream_id AND namespace_id IS NOT NULL) BEGIN
    INSERT INTO retention_permit (id) VALUES (0);
    UPDATE ledger_entry SET namespace_id = (SELECT namespace_id FROM stream_head WHERE id = NEW.stream_id)
      WHERE position = NEW.position;
    DELETE FROM retention_permit WHERE id = 0;
  END`,
];

const postgresTriggers = [
  `CREATE FUNCTION stream_head_namespace() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO entry_name (kind, name)
      VALUES ('Namespace', split_part(split_part(NEW.stream, ':', 2), '/', 1)) ON CONFLICT DO NOTHING;
    SELECT id INTO NEW.namespace_id FROM entry_name
      WHERE kind = 'Namespace' AND name = split_part(split_part(NEW.stream, ':', 2), '/', 1);
    RETURN NEW;
  END $$`,
  `CREATE TRIGGER stream_head_namespace BEFORE INSERT ON stream_head
    FOR EACH ROW WHEN (strpos(NEW.stream, '/') > 0) EXECUTE FUNCTION stream_head_namespace()`,
  `CREATE FUNCTION ledger_entry_namespace() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    SELECT namespace_id INTO NEW.namespace_id FROM stream_head WHERE id = NEW.stream_id;
    RETURN NEW;
  END $$`,
  `CREATE TRIGGER ledger_entry_namespace BEFORE INSERT ON ledger_entry
    FOR EACH ROW WHEN (NEW.namespace_id IS NULL) EXECUTE FUNCTION ledger_entry_namespace()`,
];
