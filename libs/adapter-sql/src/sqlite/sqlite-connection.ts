import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { databaseError } from '../database-error.ts';
import {
  maximumQueryRows,
  type SqlOutcome,
  type SqlQuery,
  type SqlRefusal,
  type SqlRow,
  type SqlStatement,
} from '../sql-database.ts';

type Statement = Database.Statement<unknown[], SqlRow>;

/** Stores write their SQL once and pass values, so a few dozen texts are all there are. */
const maximumPreparedStatements = 500;

/** How long a connection waits for another's lock: a checkpoint, or a migration that is just ending. */
const busyTimeoutMilliseconds = 5_000;

/**
 * A log of 64 MB before it is folded into the file: a sweep writes the same index pages again and again, and at
 * SQLite's 4 MB each would be copied once a batch. Measured: appends are 1.6 times as fast.
 */
const walSize = ['wal_autocheckpoint = 16384', 'journal_size_limit = 67108864'];

/** Makes the file where there is none; nobody but the owner reads decisions. */
export function createPrivateFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}

/** Of pages; what does not fit is in the file system's cache, at a few microseconds a page. */
const cacheKibibytes = { writer: 16 * 1024, reader: 4 * 1024 };

/** One connection in one thread: prepared statements, all-or-nothing transactions. */
export class SqliteConnection {
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Statement>();

  constructor(file: string, role: 'writer' | 'reader') {
    this.#database = new Database(file, {
      readonly: role === 'reader',
      fileMustExist: true,
      timeout: busyTimeoutMilliseconds,
    });
    this.#database.defaultSafeIntegers(true);
    // FULL: an intent must outlive a power cut. NORMAL would lose the last commits of a WAL.
    const pragmas = ['journal_mode = WAL', 'synchronous = FULL', ...walSize];
    for (const pragma of role === 'writer' ? pragmas : ['query_only = ON']) this.#database.pragma(pragma);
    for (const pragma of [
      'foreign_keys = ON',
      'trusted_schema = OFF',
      `cache_size = -${cacheKibibytes[role]}`,
    ])
      this.#database.pragma(pragma);
  }

  query({ sql, parameters = [] }: SqlQuery): readonly SqlRow[] {
    const rows: SqlRow[] = [];
    for (const row of this.#prepare(sql).iterate(...parameters)) {
      if (rows.length === maximumQueryRows)
        throw databaseError('TooManyRows', `more than ${maximumQueryRows} rows: ${sql}`);
      rows.push(row);
    }
    return rows;
  }

  transaction(
    statements: readonly SqlStatement[],
  ): { readonly outcomes: readonly SqlOutcome[] } | { readonly refusal: SqlRefusal } {
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
      // Some failures (a full disk) have rolled back already.
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }

  #run({ sql, parameters = [], rows }: SqlStatement): SqlOutcome {
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
