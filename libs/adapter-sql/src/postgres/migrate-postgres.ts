import pg from 'pg';
import { DataSource } from 'typeorm';
import { AdapterError, codeOf, counted, messageOf } from '#kernel';
import { migrations } from '../../../../migrations/index.ts';
import { databaseError } from '../connection/database-error.ts';
import type { PostgresLocation } from '../connection/database-url.ts';
import { knownMigrations } from '../connection/known-migrations.ts';
import { requireKnownSchema } from '../connection/require-known-schema.ts';
import { silentLogger } from '../connection/silent-logger.ts';
import { entitySchemas } from '../entities/index.ts';
import { connectionSettings, connectTimeoutMilliseconds, tlsSettings } from './connection-settings.ts';
import { endConnection } from './end-connection.ts';
import { lockTimeout, postgresError } from './postgres-error.ts';

/** The key of the lock that is held while migrating: `plimsoll` in ASCII. */
export const advisoryLock = 0x706c696d736f6c6cn;

/** How long one attempt waits for the lock; whoever opens the database says so and tries again. */
const lockWaitMilliseconds = 5_000;

/** SQLSTATE of a table that is not there. */
const undefinedTable = '42P01';

/** SQLSTATE of what a role may not do; of a table's schema only its owner may change anything. */
const insufficientPrivilege = '42501';

const known = new Set(knownMigrations());

/** TypeORM's view of a PostgreSQL database, with all migrations. */
export function postgresDataSource(location: PostgresLocation): DataSource {
  const { host, port, user, password, database } = location;
  return new DataSource({
    type: 'postgres',
    host,
    port,
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password }),
    ...(database === undefined ? {} : { database }),
    ssl: tlsSettings(location),
    connectTimeoutMS: connectTimeoutMilliseconds,
    applicationName: 'plimsoll migration',
    installExtensions: false,
    entities: entitySchemas('postgres'),
    logger: silentLogger,
    migrations: [...migrations],
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'each',
  });
}

/**
 * Migrates the database to the newest schema, one process at a time. Where it has that, no lock is waited for: any session
 * may keep it, such as that of a process that was stopped in its start, and a controller that works must not wait for one.
 *
 * @param timeoutMilliseconds of each question but the migrations: migrating a large table is slow
 * @throws Error of the driver, or AdapterError: `MigrationFailed` where another attempt would fail, too, `Contended` where
 * another session keeps the lock.
 */
export async function migratePostgres(
  location: PostgresLocation,
  timeoutMilliseconds: number,
): Promise<void> {
  const lock = new pg.Client({
    ...connectionSettings(location, timeoutMilliseconds),
    lock_timeout: Math.min(lockWaitMilliseconds, Math.ceil(timeoutMilliseconds / 2)),
  });
  // Without a listener, a connection that breaks while it is idle would end the process. The migration fails instead.
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    const applied = await appliedIn(lock, location);
    requireKnownSchema(applied);
    if (known.isSubsetOf(applied)) return;
    await takeLock(lock);
    await runMigrations(postgresDataSource(location), location).catch((error: unknown) => {
      if (codeOf(error) !== insufficientPrivilege) throw error;
      throw databaseError('MigrationFailed', ownerNeeded(applied, location));
    });
  } finally {
    // Closing the connection releases the lock.
    await endConnection(lock);
  }
}

async function appliedIn(client: pg.Client, location: PostgresLocation): Promise<ReadonlySet<string>> {
  try {
    const { rows } = await client.query<{ readonly name: string }>('SELECT name FROM migration');
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    if (codeOf(error) === undefinedTable) return new Set();
    if (codeOf(error) !== insufficientPrivilege) throw error;
    const message = `${messageOf(error)}: ${userOf(location)} has not been given its grants yet (docs/postgresql.md#roles)`;
    throw databaseError('AccessDenied', `PostgreSQL: ${message}`);
  }
}

/** What a role that is no owner of the tables cannot do for itself. */
function ownerNeeded(applied: ReadonlySet<string>, location: PostgresLocation): string {
  const { size } = known.difference(applied);
  const pending =
    applied.size === 0
      ? 'no table of Plimsoll is there, or none that may be used'
      : `${counted(size, 'migration is', 'migrations are')} pending`;
  return `${pending}, and ${userOf(location)} may not migrate: plimsoll migrate up --database runs migrations as the owner of the tables, before the start (docs/postgresql.md#roles)`;
}

function userOf({ user, settings }: PostgresLocation): string {
  const named = user === undefined ? 'the database user' : `the database user ${user}`;
  return settings === undefined ? named : `${named} (${settings.url})`;
}

async function takeLock(client: pg.Client): Promise<void> {
  try {
    await client.query('SELECT pg_advisory_lock($1)', [advisoryLock]);
  } catch (error) {
    if (codeOf(error) !== lockTimeout) throw error;
    const holder = await lockHolder(client);
    throw databaseError('Contended', `migrating waits for ${holder}, which keeps the lock of migrations`);
  }
}

/** Who keeps the lock, for people. What a session calls itself is its own word. */
async function lockHolder(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ readonly pid: number; readonly user: string | null }>(
    `SELECT pid, usename AS user FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)
      WHERE locktype = 'advisory' AND granted AND objsubid = 1
        AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND classid = $1 AND objid = $2`,
    [advisoryLock >> 32n, advisoryLock & 0xffffffffn],
  );
  const [holder] = rows;
  if (holder === undefined) return 'another session';
  return `the session with process id ${holder.pid} of the database user ${holder.user ?? 'that may not be seen'}`;
}

async function runMigrations(source: DataSource, location: PostgresLocation): Promise<void> {
  try {
    await source.initialize();
    await source.runMigrations();
    const applied: readonly { readonly name: string }[] = await source.query('SELECT name FROM migration');
    requireKnownSchema(applied.map(({ name }) => name));
  } catch (error) {
    if (codeOf(error) === insufficientPrivilege) throw error;
    const failure = postgresError(error, location);
    if (failure.retryable || error instanceof AdapterError) throw failure;
    throw databaseError('MigrationFailed', `migrating: ${messageOf(error)}`);
  } finally {
    if (source.isInitialized) await source.destroy();
  }
}
