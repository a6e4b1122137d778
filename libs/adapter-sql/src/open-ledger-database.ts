import type { FencePort, LedgerPort } from '#ledger';
import { parseDatabaseUrl } from './database-url.ts';
import type { PostgresDatabase } from './postgres/postgres-database.ts';
import type { ChangeListener, ChangeWatch } from './postgres/postgres-notices.ts';
import type { SqlDatabase } from './sql-database.ts';
import { SqliteDatabase } from './sqlite/sqlite-database.ts';
import { SqlFences } from './stores/sql-fences.ts';
import { SqlLedger } from './stores/sql-ledger.ts';
import { type SlowStatement, timedDatabase } from './timed-database.ts';

/** The timeout of one request: far more than a healthy disk needs, and short enough to notice a dead one. */
const defaultTimeoutMilliseconds = 30_000;

export interface LedgerDatabaseOptions {
  /** `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…`. */
  readonly url: string;
  /** The timeout of each request; 30 s by default. */
  readonly timeoutMilliseconds?: number;
  /** Whether SQLite gives space that is freed back to the file system, where the file is small yet; false by default. */
  readonly givesSpaceBack?: boolean;
  /** Told of every query and transaction that takes long. */
  readonly onSlow?: (slow: SlowStatement) => void;
}

/** An open, migrated database. */
export interface LedgerDatabase {
  readonly ledger: LedgerPort;
  readonly fences: FencePort;
  /** The connection that other stores are built on. */
  readonly sql: SqlDatabase;
  /** Tells of what other processes store; null: SQLite, which has one process. */
  readonly watchChanges: ((listener: ChangeListener) => ChangeWatch) | null;
  /** Answers pending requests, then closes. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the ledger's database, creates a missing SQLite file, and migrates the schema to the newest version.
 *
 * @throws AdapterError without the password in its message or cause.
 */
export async function openLedgerDatabase(options: LedgerDatabaseOptions): Promise<LedgerDatabase> {
  const database = await openDatabase(options);
  const { onSlow } = options;
  const sql = onSlow === undefined ? database : timedDatabase(database, onSlow);
  const watchChanges =
    database.dialect === 'sqlite' ? null : (listener: ChangeListener) => database.watchChanges(listener);
  const close = (): Promise<void> => database.close();
  return { ledger: new SqlLedger(sql), fences: new SqlFences(sql), sql, watchChanges, close };
}

async function openDatabase({
  url,
  timeoutMilliseconds = defaultTimeoutMilliseconds,
  givesSpaceBack = false,
}: LedgerDatabaseOptions): Promise<SqliteDatabase | PostgresDatabase> {
  const location = parseDatabaseUrl(url);
  if (location.dialect === 'sqlite')
    return SqliteDatabase.open(location.file, { timeoutMilliseconds, givesSpaceBack });
  // The driver and TypeORM are loaded only where PostgreSQL is used.
  const postgres = await import('./postgres/postgres-database.ts');
  return postgres.PostgresDatabase.open(location.postgres, timeoutMilliseconds);
}
