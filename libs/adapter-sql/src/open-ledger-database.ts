import type { LedgerPort } from '#ledger';
import { parseDatabaseUrl } from './database-url.ts';
import { SqlLedger } from './ledger/sql-ledger.ts';
import type { PostgresDatabase } from './postgres/postgres-database.ts';
import type { SqlDatabase } from './sql-database.ts';
import { SqliteDatabase } from './sqlite/sqlite-database.ts';

/** How long any one request may take: far beyond a healthy disk, and short enough to notice a dead one. */
const defaultTimeoutMilliseconds = 30_000;

/** What to open. */
export interface LedgerDatabaseOptions {
  /** `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…`. */
  readonly url: string;
  /** Of each request. Default: 30 s. */
  readonly timeoutMilliseconds?: number;
}

/** An open, migrated database. */
export interface LedgerDatabase {
  readonly ledger: LedgerPort;
  /** What other stores are built on. */
  readonly sql: SqlDatabase;
  /** Answers what was asked before, then closes. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the ledger's database, makes it where there is none, and migrates it to the newest schema.
 *
 * @throws AdapterError; its message and cause hold no password.
 */
export async function openLedgerDatabase(options: LedgerDatabaseOptions): Promise<LedgerDatabase> {
  const sql = await openDatabase(options);
  return { ledger: new SqlLedger(sql), sql, close: () => sql.close() };
}

async function openDatabase({
  url,
  timeoutMilliseconds = defaultTimeoutMilliseconds,
}: LedgerDatabaseOptions): Promise<SqliteDatabase | PostgresDatabase> {
  const location = parseDatabaseUrl(url);
  if (location.dialect === 'sqlite') return SqliteDatabase.open(location.file, timeoutMilliseconds);
  // Its driver, and TypeORM with it, is loaded by those who use it.
  const postgres = await import('./postgres/postgres-database.ts');
  return postgres.PostgresDatabase.open(location.postgres, timeoutMilliseconds);
}
