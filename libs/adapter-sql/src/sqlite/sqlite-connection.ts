import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { describeGone, makeFolderSync, OpenedFiles } from '#files';
import { databaseError } from '../connection/database-error.ts';
import {
  maximumQueryRows,
  type SqlOutcome,
  type SqlQuery,
  type SqlRefusal,
  type SqlRow,
  type SqlStatement,
} from '../connection/sql-database.ts';
import { WriteProbe } from './write-probe.ts';

type Statement = Database.Statement<unknown[], SqlRow>;

/** Far above the number of statements in this adapter, which is a few dozen. */
const maximumPreparedStatements = 500;

/** How long a connection waits for another's lock, held by a checkpoint or by a migration that is ending. */
const busyTimeoutMilliseconds = 5_000;

/**
 * The write-ahead log grows to 128 MB before a checkpoint. A sweep writes the same index pages again and again, and with
 * SQLite's default of 4 MB each would be copied once per batch. Measured: appends are 1.6 times as fast with 64 MB, and
 * 1.7 times with 128 MB, which are read within half a second after a crash.
 */
const walSize = ['wal_autocheckpoint = 32768', 'journal_size_limit = 134217728'];

/** Creates the file if it is missing, readable by its owner only. */
export function createPrivateFile(file: string): void {
  makeFolderSync(dirname(file), 0o700);
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}

/** Rewriting a file of this size takes about a second. */
const maximumRewrittenBytes = 64 * 1024 * 1024;

/**
 * Lets a file give back the space that retention frees. Keeping track of it takes a fifth of the writer's time, so files
 * without retention do not; and a file with tables is rewritten for it, so a large one stays as it is.
 */
export function letGiveSpaceBack(file: string): void {
  if (statSync(file).size > maximumRewrittenBytes) return;
  const database = new Database(file);
  try {
    if (database.pragma('auto_vacuum', { simple: true }) === incremental) return;
    database.pragma('auto_vacuum = INCREMENTAL');
    database.exec('VACUUM');
  } finally {
    database.close();
  }
}

/** The database, its write-ahead log, and the index of that: without one of them the others are not whole. */
const suffixes = ['', '-wal', '-shm'];

/** SQLite's number for it. */
const incremental = 2;

/** Of SQLite's page cache; other pages come from the file system's cache, at a few microseconds each. */
const cacheKibibytes = { least: 4 * 1024, most: 16 * 1024 };

/**
 * SQLite's page cache in KiB, of a file of so many bytes when it is opened. A controller's reader has a 256th of it: the inner
 * pages of the entries' tree, which each decision that is asked for by its id passes. On ten million entries, 5.4 GB, reading
 * them anew with 4 MB takes 10 to 40 µs of the 280 that a question needs.
 */
export function cacheSizeOf(role: 'writer' | ReadingRole, bytes: number): number {
  if (role === 'writer') return cacheKibibytes.most;
  if (role === 'command') return cacheKibibytes.least;
  return Math.min(cacheKibibytes.most, Math.max(cacheKibibytes.least, Math.round(bytes / 256 / 1024)));
}

/**
 * Who reads: a controller, or a command, which may have no right to write beside the file. Neither maps the file into its
 * memory: a command would grow to the size of the ledger, to save a fifth of its time, and a controller ends where the disk
 * fails.
 */
export type ReadingRole = 'reader' | 'command';

/** A connection of one thread, with prepared statements. */
export class SqliteConnection {
  readonly #database: Database.Database;
  /** `null`: a command. */
  readonly #probe: WriteProbe | null;
  readonly #files: OpenedFiles;
  readonly #statements = new Map<string, Statement>();

  constructor(file: string, role: 'writer' | ReadingRole) {
    this.#probe = role === 'command' ? null : new WriteProbe(file);
    this.#database = new Database(file, {
      readonly: role !== 'writer',
      fileMustExist: true,
      timeout: busyTimeoutMilliseconds,
    });
    this.#files = new OpenedFiles(suffixes.map((suffix) => `${file}${suffix}`));
    this.#database.defaultSafeIntegers(true);
    // FULL, since an intent must outlive a power failure; with NORMAL the last commits would be lost.
    const pragmas = ['journal_mode = WAL', 'synchronous = FULL', ...walSize];
    for (const pragma of role === 'writer' ? pragmas : ['query_only = ON']) this.#database.pragma(pragma);
    for (const pragma of [
      'foreign_keys = ON',
      'trusted_schema = OFF',
      `cache_size = -${cacheSizeOf(role, statSync(file).size)}`,
    ])
      this.#database.pragma(pragma);
  }

  /** @param isLast rows behind it are not read */
  query(
    { sql, parameters = [] }: SqlQuery,
    isLast: (row: SqlRow) => boolean = () => false,
  ): readonly SqlRow[] {
    this.#probe?.requireWritable();
    const rows: SqlRow[] = [];
    for (const row of this.#prepare(sql).iterate(...parameters)) {
      if (rows.length === maximumQueryRows)
        throw databaseError('TooManyRows', `more than ${maximumQueryRows} rows: ${sql}`);
      rows.push(row);
      if (isLast(row)) break;
    }
    return rows;
  }

  transaction(
    statements: readonly SqlStatement[],
  ): { readonly outcomes: readonly SqlOutcome[] } | { readonly refusal: SqlRefusal } {
    this.#probe?.requireWritable();
    this.#requireFiles();
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const outcomes: SqlOutcome[] = [];
      for (const statement of statements) {
        const outcome = this.#run(statement);
        outcomes.push(outcome);
        if (statement.expect !== undefined && statement.expect.count !== outcome.count) {
          this.#database.exec('ROLLBACK');
          return { refusal: { code: statement.expect.otherwise } };
        }
      }
      this.#database.exec('COMMIT');
      return { outcomes };
    } catch (error) {
      // Some failures, such as a full disk, roll back by themselves.
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** What is read until {@link endSnapshot} is as of the first read. */
  beginSnapshot(): void {
    this.#database.exec('BEGIN');
  }

  endSnapshot(): void {
    this.#database.exec('COMMIT');
  }

  close(): void {
    this.#database.close();
    this.#probe?.close();
  }

  /** @throws AdapterError `FileGone` */
  #requireFiles(): void {
    const gone = this.#files.findGone();
    if (gone !== null) throw databaseError('FileGone', describeGone(gone));
  }

  #run({ sql, parameters = [], rows }: SqlStatement): SqlOutcome {
    if (sql.startsWith('PRAGMA ')) {
      // A pragma that works in steps would end after the first of them.
      this.#database.exec(sql);
      return { count: 0, rows: [] };
    }
    const prepared = this.#prepare(sql);
    if (rows !== undefined) {
      let count = 0;
      for (const row of rows) count += prepared.run(...row).changes;
      return { count, rows: [] };
    }
    if (!prepared.reader) return { count: prepared.run(...parameters).changes, rows: [] };
    const returned = prepared.all(...parameters);
    return { count: returned.length, rows: returned };
  }

  #prepare(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= maximumPreparedStatements) this.#statements.clear();
    const statement = this.#database.prepare<unknown[], SqlRow>(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
