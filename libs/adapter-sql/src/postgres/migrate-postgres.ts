import pg from 'pg';
import { DataSource } from 'typeorm';
import { AdapterError, messageOf } from '#kernel';
import { migrations } from '../../../../migrations/index.ts';
import { databaseError } from '../database-error.ts';
import type { PostgresLocation } from '../database-url.ts';
import { entitySchemas } from '../entities/index.ts';
import { requireKnownSchema } from '../require-known-schema.ts';
import { connectionSettings, tlsSettings } from './connection-settings.ts';
import { postgresError } from './postgres-error.ts';

/** The key of the lock that is held while migrating: `plimsoll` in ASCII. */
export const advisoryLock = 0x706c696d736f6c6cn;

/** Migrating a large table is slow, and another process waits as long for the lock. */
const migrationTimeoutMilliseconds = 600_000;

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
    applicationName: 'plimsoll migration',
    installExtensions: false,
    entities: entitySchemas('postgres'),
    migrations: [...migrations],
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'each',
  });
}

/**
 * Migrates the database to the newest schema, one process at a time.
 *
 * @throws Error of the driver, or AdapterError: `MigrationFailed` where another attempt would fail, too.
 */
export async function migratePostgres(location: PostgresLocation): Promise<void> {
  const lock = new pg.Client(connectionSettings(location, migrationTimeoutMilliseconds));
  // Without a listener, a connection that breaks while it is idle would end the process. The migration fails instead.
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [advisoryLock]);
    await runMigrations(postgresDataSource(location), location);
  } finally {
    // Closing the connection releases the lock.
    await lock.end();
  }
}

async function runMigrations(source: DataSource, location: PostgresLocation): Promise<void> {
  try {
    await source.initialize();
    await source.runMigrations();
    const applied: readonly { readonly name: string }[] = await source.query('SELECT name FROM migration');
    requireKnownSchema(applied.map(({ name }) => name));
  } catch (error) {
    const failure = postgresError(error, location);
    if (failure.retryable || error instanceof AdapterError) throw failure;
    throw databaseError('MigrationFailed', `migrating: ${messageOf(error)}`);
  } finally {
    if (source.isInitialized) await source.destroy();
  }
}
