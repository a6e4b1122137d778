import type { FencePort, LedgerPort } from '#ledger';
import { type DatabaseSettings, parseDatabaseUrl } from './connection/database-url.ts';
import type { SqlDatabase } from './connection/sql-database.ts';
import { type SlowStatement, timedDatabase } from './connection/timed-database.ts';
import type { PostgresDatabase } from './postgres/postgres-database.ts';
import type { ChangeListener, ChangeWatch } from './postgres/postgres-notices.ts';
import { SqliteDatabase } from './sqlite/sqlite-database.ts';
import { type ScopeConnections, SqlFences } from './stores/sql-fences.ts';
import { SqlLedger } from './stores/sql-ledger.ts';

/** The timeout of one request: far more than a healthy disk needs, and short enough to notice a dead one. */
const defaultTimeoutMilliseconds = 30_000;

/** Several scopes are taken at a time, and each may wait for a transaction of its last holder. */
const connectionsForTakes = 2;

/** A take waits for the transactions of a scope's last holder; the server ends one that stands still after ten seconds. */
const takeWaitMilliseconds = 15_000;

export interface LedgerDatabaseOptions {
  /** `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…`. */
  readonly url: string;
  /** What errors of a server name; absent: nothing. */
  readonly settings?: DatabaseSettings;
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
  /** What scopes are taken, renewed and given up by, however much is read and written at the same time. */
  readonly scopes: ScopeConnections;
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
  const timed = (each: SqlDatabase): SqlDatabase =>
    onSlow === undefined ? each : timedDatabase(each, onSlow);
  const sql = timed(database);
  const ledger = new SqlLedger(sql);
  if (database.dialect === 'sqlite') {
    const scopes = { takes: sql, renewals: sql };
    const close = (): Promise<void> => database.close();
    return { ledger, fences: new SqlFences(scopes), sql, scopes, watchChanges: null, close };
  }
  const [takes, renewals] = [database.apart(connectionsForTakes, takeWaitMilliseconds), database.apart(1)];
  const scopes = { takes: timed(takes), renewals: timed(renewals) };
  const close = async (): Promise<void> => {
    await Promise.all([database, takes, renewals].map((each) => each.close()));
  };
  const watchChanges = (listener: ChangeListener): ChangeWatch => database.watchChanges(listener);
  return { ledger, fences: new SqlFences(scopes), sql, scopes, watchChanges, close };
}

async function openDatabase({
  url,
  settings,
  timeoutMilliseconds = defaultTimeoutMilliseconds,
  givesSpaceBack = false,
}: LedgerDatabaseOptions): Promise<SqliteDatabase | PostgresDatabase> {
  const location = parseDatabaseUrl(url, settings);
  if (location.dialect === 'sqlite')
    return SqliteDatabase.open(location.file, { timeoutMilliseconds, givesSpaceBack });
  // The driver and TypeORM are loaded only where PostgreSQL is used.
  const postgres = await import('./postgres/postgres-database.ts');
  return postgres.PostgresDatabase.open(location.postgres, timeoutMilliseconds);
}
