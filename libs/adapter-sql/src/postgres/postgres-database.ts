import pg from 'pg';
import { type AdapterError, err, ok, type Result } from '#kernel';
import { databaseError } from '../connection/database-error.ts';
import type { PostgresLocation } from '../connection/database-url.ts';
import {
  maximumQueryRows,
  type SqlDatabase,
  type SqlOutcome,
  type SqlQuery,
  type SqlRefusal,
  type SqlRow,
  type SqlStatement,
  type SqlValue,
} from '../connection/sql-database.ts';
import { arrayLiteral } from './array-literal.ts';
import { connectionSettings } from './connection-settings.ts';
import { migratePostgres } from './migrate-postgres.ts';
import { numberParameters } from './numbered-parameters.ts';
import { commitError, lockWaitError, postgresError } from './postgres-error.ts';
import { type ChangeListener, type ChangeWatch, PostgresNotices } from './postgres-notices.ts';

/** A few readers and one writer. Teams share a server, so the pool is small. */
const poolSize = 8;

/** Callers that may wait for a connection; more means that the server is slower than the fleet. */
const maximumWaiting = 1_000;

/**
 * How long a statement waits for a lock, as on SQLite: a process that works keeps none for so long, so that an operator's
 * session, or what makes an index, has it. The request fails with the name of the table while passes still wait for it.
 */
const lockWaitMilliseconds = 5_000;

/** A pool of connections to PostgreSQL. */
export class PostgresDatabase implements SqlDatabase {
  readonly dialect = 'postgres';
  readonly #pool: pg.Pool;
  readonly #location: PostgresLocation;
  readonly #settings: pg.ClientConfig;

  private constructor(size: number, location: PostgresLocation, settings: pg.ClientConfig) {
    this.#pool = new pg.Pool({ ...settings, max: size });
    this.#location = location;
    this.#settings = settings;
    // Without listeners, a connection that breaks between two queries would end the process. The next query fails
    // instead, and the pool replaces the connection.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /**
   * Connects and migrates.
   *
   * @throws AdapterError without the password.
   */
  static async open(location: PostgresLocation, timeoutMilliseconds: number): Promise<PostgresDatabase> {
    try {
      await migratePostgres(location, timeoutMilliseconds);
      const lockWait = Math.min(lockWaitMilliseconds, Math.ceil(timeoutMilliseconds / 2));
      const settings = { ...connectionSettings(location, timeoutMilliseconds), lock_timeout: lockWait };
      return new PostgresDatabase(poolSize, location, settings);
    } catch (error) {
      throw postgresError(error, location);
    }
  }

  /**
   * The same database by connections of its own, at most so many, which nobody else's requests keep. To be closed, too.
   *
   * @param lockWaitMilliseconds how long its statements wait for a lock, where that is longer than others do
   */
  apart(connections: number, lockWaitMilliseconds?: number): PostgresDatabase {
    const lockWait = lockWaitMilliseconds ?? this.#settings.lock_timeout;
    return new PostgresDatabase(connections, this.#location, { ...this.#settings, lock_timeout: lockWait });
  }

  /** Tells of what any process stores from now on. */
  watchChanges(listener: ChangeListener): ChangeWatch {
    return new PostgresNotices(this.#location, listener);
  }

  async query({ sql, parameters = [] }: SqlQuery): Promise<readonly SqlRow[]> {
    const rows = await this.#queryRows(numberParameters(sql), parameters);
    if (rows.length > maximumQueryRows)
      throw databaseError('TooManyRows', `more than ${maximumQueryRows} rows: ${sql}`);
    return rows;
  }

  async transaction(statements: readonly SqlStatement[]): Promise<Result<readonly SqlOutcome[], SqlRefusal>> {
    const client = await this.#connect();
    let isCommitting = false;
    try {
      await client.query('BEGIN');
      const result = await runAll(client, statements);
      isCommitting = result.ok;
      await client.query(result.ok ? 'COMMIT' : 'ROLLBACK');
      client.release();
      return result;
    } catch (error) {
      const failure = this.#failed(client, error);
      throw isCommitting ? commitError(error, failure) : failure;
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #queryRows(sql: string, parameters: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    const client = await this.#connect();
    try {
      const { rows } = await client.query<SqlRow>(sql, [...parameters]);
      client.release();
      return rows;
    } catch (error) {
      throw this.#failed(client, lockWaitError(error, sql));
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    if (this.#pool.waitingCount >= maximumWaiting)
      throw databaseError('QueueFull', `${maximumWaiting} requests are waiting for the database`);
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw postgresError(error, this.#location);
    }
  }

  /** Also discards the connection: it may be inside a transaction, or a late answer may still arrive on it. */
  #failed(client: pg.PoolClient, error: unknown): AdapterError {
    client.release(true);
    return postgresError(error, this.#location);
  }
}

async function runAll(
  client: pg.PoolClient,
  statements: readonly SqlStatement[],
): Promise<Result<readonly SqlOutcome[], SqlRefusal>> {
  const outcomes: SqlOutcome[] = [];
  for (const statement of statements) {
    const { rows, count } = await run(client, statement);
    if (statement.expect !== undefined && statement.expect.count !== count)
      return err({ code: statement.expect.otherwise });
    outcomes.push({ count, rows });
  }
  return ok(outcomes);
}

async function run(client: pg.PoolClient, statement: SqlStatement): Promise<SqlOutcome> {
  const sql = numberParameters(statement.sql);
  try {
    const { rows, rowCount } = await client.query<SqlRow>(sql, parametersOf(statement));
    return { count: rowCount ?? 0, rows };
  } catch (error) {
    throw lockWaitError(error, sql);
  }
}

/** Turns many rows into one array per column. */
function parametersOf({ parameters = [], rows }: SqlStatement): (SqlValue | SqlValue[])[] {
  const [first] = rows ?? [];
  if (rows === undefined || first === undefined) return [...parameters];
  return first.map((_, column) => {
    const values = rows.map((row) => row[column] ?? null);
    return arrayLiteral(values) ?? values;
  });
}
