import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import { codeOf } from '#kernel';
import { createRestoredBackup } from '../../../../migrations/1795315300000-add-restored-backup.ts';
import { migrations } from '../../../../migrations/index.ts';
import { runStatements } from '../../../../migrations/run-statements.ts';
import { databaseError } from '../connection/database-error.ts';
import { type DatabaseLocation, parseDatabaseUrl } from '../connection/database-url.ts';
import { knownMigrations } from '../connection/known-migrations.ts';
import type { SqlDialect, SqlValue } from '../connection/sql-database.ts';
import { type BackupHeader, type BackupTable, unusable } from './backup-format.ts';
import { blockingSession } from './blocking-session.ts';
import { type BackupPart, readBackup } from './read-backup.ts';
import { openSchemaSource } from './schema-source.ts';

/** About a thousand parameters per statement: PostgreSQL takes 65,535. */
const rowsPerInsert = 50;

/**
 * Epochs go on so far ahead after a restore, and at the seconds since 1970 at least, also where the same backup is restored
 * a second time: what was handed out after the backup was made is not handed out again, so nothing from that time passes
 * for something of a process that holds a scope now.
 */
const epochsAhead = 1_000_000;

/** A session that reads or writes is through before; one that keeps a transaction open may never be. */
const lockWaitSeconds = 15;

/** SQLSTATE of a statement that waited for a lock for longer than it may. */
const lockTimeout = '55P03';

export interface Restore {
  readonly url: string;
  readonly file: string;
  readonly onRows: (count: number) => void;
  /** How long it waits for a table that another session of PostgreSQL keeps locked; 15 by default. */
  readonly lockWaitSeconds?: number;
}

/**
 * Restores a backup into a database that is empty, with the schema that it had; `plimsoll migrate up` or a start of the
 * controller migrates it.
 * Either dialect takes a backup of the other.
 *
 * @returns the header of the backup
 * @throws AdapterError, or Error of the file system; then the database is as empty as before
 */
export async function restoreDatabase({ url, file, ...wanted }: Restore): Promise<BackupHeader> {
  const location = parseDatabaseUrl(url);
  const parts = readBackup(file);
  try {
    const first = await parts.next();
    if (first.done === true || first.value.kind !== 'Header') throw unusable('the backup is empty');
    const { header } = first.value;
    requireKnownSchema(header);
    await restoreInto(location, header, { lockWaitSeconds, ...wanted, parts });
    return header;
  } finally {
    await parts.return(undefined);
  }
}

function requireKnownSchema({ migrations: names }: BackupHeader): void {
  const known = knownMigrations();
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw databaseError(
      'NewerSchema',
      `the backup is of a newer release than this one, which does not know ${unknown}`,
    );
  }
}

interface Rows extends Required<Pick<Restore, 'onRows' | 'lockWaitSeconds'>> {
  readonly parts: AsyncGenerator<BackupPart>;
}

async function restoreInto(location: DatabaseLocation, header: BackupHeader, rows: Rows): Promise<void> {
  const isNewFile = location.dialect === 'sqlite' && !existsSync(location.file);
  const wanted = new Set(header.migrations);
  const subset = migrations.filter((Migration) => wanted.has(new Migration().name ?? ''));
  const { source, mapped, close } = await openSchemaSource(location, { mayCreate: true, migrations: subset });
  try {
    await requireEmpty(source);
    await source.runMigrations({ transaction: 'each' });
    await inTransaction(source, async (runner) => {
      if (location.dialect === 'postgres')
        await runner.query(`SET LOCAL lock_timeout = '${rows.lockWaitSeconds}s'`);
      await requireStillEmpty(runner, location.dialect);
      await fill(runner, location.dialect, { ...rows, madeAt: header.madeAt });
      await markRestored(runner, location.dialect, header);
    });
  } catch (error) {
    const blocked = codeOf(error) === lockTimeout ? await blockedError(source, rows) : null;
    await close();
    if (blocked !== null) throw blocked;
    if (isNewFile)
      for (const end of ['', '-wal', '-shm', '.lock']) await rm(`${location.file}${end}`, { force: true });
    throw mapped(error);
  }
  await close();
}

/** Who has kept the restore from a table; the session may have ended by now. */
async function blockedError(
  source: DataSource,
  { lockWaitSeconds: seconds }: Pick<Rows, 'lockWaitSeconds'>,
): Promise<Error> {
  const session = await blockingSession(source).catch(() => null);
  const who = session ?? 'another session kept a lock on a table, and has ended since';
  return databaseError('DatabaseLocked', `${who}; waited ${seconds} s, and nothing was restored`);
}

/** What a controller writes to first; a table that a migration has filled holds one row. */
const filledFirst = ['stream_head', 'ledger_epoch', 'sync_source', 'policy_state'];

async function requireEmpty(source: DataSource): Promise<void> {
  const runner = source.createQueryRunner();
  try {
    await requireEmptyTables(runner);
  } finally {
    await runner.release();
  }
}

async function requireEmptyTables(runner: QueryRunner): Promise<void> {
  for (const table of await filledFirstOf(runner)) {
    const rows = (await runner.query(`SELECT 1 FROM ${table} LIMIT 1`)) as readonly object[];
    if (rows.length > 0)
      throw databaseError('DatabaseNotEmpty', 'the database to restore into is not empty: name a new one');
  }
}

async function filledFirstOf(runner: QueryRunner): Promise<readonly string[]> {
  const tables: string[] = [];
  for (const table of filledFirst) if (await runner.hasTable(table)) tables.push(table);
  return tables;
}

/**
 * A controller that was not stopped may begin to work with the database while it is restored: what it has stored is not
 * deleted, and from here on it waits. A SQLite file is of one process.
 */
async function requireStillEmpty(runner: QueryRunner, dialect: SqlDialect): Promise<void> {
  if (dialect !== 'postgres') return;
  const tables = await filledFirstOf(runner);
  if (tables.length > 0) await runner.query(`LOCK TABLE ${tables.join(', ')} IN SHARE ROW EXCLUSIVE MODE`);
  await requireEmptyTables(runner);
}

async function inTransaction(
  source: DataSource,
  work: (runner: QueryRunner) => Promise<void>,
): Promise<void> {
  const runner = source.createQueryRunner();
  await runner.startTransaction();
  try {
    await work(runner);
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  } finally {
    await runner.release();
  }
}

/** Triggers refuse what a restore does, such as entries of an earlier format; they are back with its end. */
async function fill(
  runner: QueryRunner,
  dialect: SqlDialect,
  { madeAt, ...rows }: Pick<Rows, 'parts' | 'onRows'> & Pick<BackupHeader, 'madeAt'>,
): Promise<void> {
  const triggers = await dropTriggers(runner, dialect);
  const tables = await fillTables(runner, dialect, rows);
  await moveEpochs(runner, dialect, { tables, madeAt });
  for (const sql of triggers) await runner.query(sql);
  if (dialect === 'postgres') for (const table of tables) await finishPostgres(runner, table);
}

async function fillTables(
  runner: QueryRunner,
  dialect: SqlDialect,
  { parts, onRows }: Pick<Rows, 'parts' | 'onRows'>,
): Promise<readonly BackupTable[]> {
  const targets: TableTarget[] = [];
  for await (const part of parts) {
    if (part.kind === 'Table') {
      await targets.at(-1)?.flush();
      targets.push(await TableTarget.begin(runner, dialect, part.table));
    } else if (part.kind === 'Row') {
      await targets.at(-1)?.add(part.values);
      onRows(1);
    }
  }
  await targets.at(-1)?.flush();
  return targets.map(({ table }) => table);
}

/** @returns what makes them again */
async function dropTriggers(runner: QueryRunner, dialect: SqlDialect): Promise<readonly string[]> {
  if (dialect === 'postgres') return [];
  const rows = (await runner.query(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'",
  )) as readonly {
    readonly name: string;
    readonly sql: string;
  }[];
  for (const { name } of rows) await runner.query(`DROP TRIGGER ${quoted(name)}`);
  return rows.map(({ sql }) => sql);
}

/** Triggers are back, and numbers that the database gives out go on after those that it holds. */
async function finishPostgres(runner: QueryRunner, { table }: BackupTable): Promise<void> {
  await runner.query(`ALTER TABLE ${quoted(table)} ENABLE TRIGGER USER`);
  const numbered = (await runner.query(
    `SELECT attname::text AS name FROM pg_attribute
      WHERE attrelid = to_regclass(quote_ident($1)) AND attnum > 0 AND NOT attisdropped
        AND pg_get_serial_sequence(quote_ident($1), attname) IS NOT NULL`,
    [table],
  )) as readonly { readonly name: string }[];
  for (const { name } of numbered) {
    const last = `SELECT MAX(${quoted(name)}) AS last FROM ${quoted(table)}`;
    await runner.query(
      `SELECT setval(pg_get_serial_sequence(quote_ident($1), $2), last) FROM (${last}) AS numbers WHERE last IS NOT NULL`,
      [table, name],
    );
  }
}

async function moveEpochs(
  runner: QueryRunner,
  dialect: SqlDialect,
  { tables, madeAt }: { readonly tables: readonly BackupTable[]; readonly madeAt: string },
): Promise<void> {
  const columns = tables.find(({ table }) => table === 'ledger_epoch')?.columns.map(({ name }) => name) ?? [];
  if (columns.length === 0) return;
  const freed = ['holder', 'renewed_at', 'last_append', 'advertised_url'].filter((name) =>
    columns.includes(name),
  );
  const greatest = dialect === 'postgres' ? 'GREATEST' : 'MAX';
  const seconds = Math.floor(Math.max(Date.now(), Date.parse(madeAt)) / 1_000);
  const epoch = `${greatest}(epoch + ${epochsAhead}, ${seconds})`;
  const changes = [`epoch = ${epoch}`, ...freed.map((name) => `${name} = NULL`)];
  await runner.query(`UPDATE ledger_epoch SET ${changes.join(', ')}`);
}

/** So that the next start knows why published checkpoints may be later than the ledger. */
async function markRestored(
  runner: QueryRunner,
  dialect: SqlDialect,
  { madeAt }: BackupHeader,
): Promise<void> {
  await runStatements(runner, createRestoredBackup);
  await runner.query('DELETE FROM restored_backup');
  const mark = dialect === 'postgres' ? '$1' : '?';
  await runner.query(`INSERT INTO restored_backup (made_at) VALUES (${mark})`, [madeAt]);
}

/** Inserts the rows of one table. */
class TableTarget {
  readonly #runner: QueryRunner;
  readonly table: BackupTable;
  readonly #dialect: SqlDialect;
  #rows: (readonly SqlValue[])[] = [];

  private constructor(runner: QueryRunner, dialect: SqlDialect, table: BackupTable) {
    this.#runner = runner;
    this.#dialect = dialect;
    this.table = table;
  }

  /** What a migration has put there gives way. */
  static async begin(runner: QueryRunner, dialect: SqlDialect, table: BackupTable): Promise<TableTarget> {
    if (!(await runner.hasTable(table.table)))
      throw unusable(`the backup has a table that its schema does not have: ${table.table}`);
    const name = quoted(table.table);
    if (dialect === 'postgres') await runner.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
    await runner.query(`DELETE FROM ${name}`);
    return new TableTarget(runner, dialect, table);
  }

  async add(row: readonly SqlValue[]): Promise<void> {
    this.#rows.push(row);
    if (this.#rows.length === rowsPerInsert) await this.flush();
  }

  async flush(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    if (rows.length === 0) return;
    const { table, columns } = this.table;
    const isPostgres = this.#dialect === 'postgres';
    let place = 0;
    const marks = rows.map((row) => `(${row.map(() => (isPostgres ? `$${(place += 1)}` : '?')).join(', ')})`);
    const names = columns.map(({ name }) => quoted(name)).join(', ');
    await this.#runner.query(
      `INSERT INTO ${quoted(table)} (${names}) ${isPostgres ? 'OVERRIDING SYSTEM VALUE ' : ''}VALUES ${marks.join(', ')}`,
      rows.flat().map((value) => (isPostgres && typeof value === 'bigint' ? String(value) : value)),
    );
  }
}

/** Names of a backup stand in SQL. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
