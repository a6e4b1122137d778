import { existsSync } from 'node:fs';
import pg from 'pg';
import type { DataSource, MigrationInterface } from 'typeorm';
import { databaseError } from '../connection/database-error.ts';
import type { DatabaseLocation, PostgresLocation } from '../connection/database-url.ts';
import { connectionSettings } from '../postgres/connection-settings.ts';
import { endConnection } from '../postgres/end-connection.ts';
import { postgresError } from '../postgres/postgres-error.ts';
import { lockForProcess } from '../sqlite/process-lock.ts';
import { createPrivateFile } from '../sqlite/sqlite-connection.ts';
import { sqliteError } from '../sqlite/sqlite-error.ts';

/** How long the database may take for one statement of a migration. */
const timeoutMilliseconds = 600_000;

/** A database whose schema this process alone may change. */
export interface SchemaSource {
  readonly source: DataSource;
  /** Maps what a statement failed with. */
  readonly mapped: (error: unknown) => Error;
  readonly close: () => Promise<void>;
}

interface Opening {
  /** Whether a SQLite file that is missing is made. */
  readonly mayCreate: boolean;
  /** Those that the schema is to have; all by default. */
  readonly migrations?: readonly (new () => MigrationInterface)[];
}

/**
 * Opens a database without migrating it, and locks its schema. TypeORM is loaded here and not before: it takes 7 MB, which
 * a controller on SQLite never needs in its main thread.
 *
 * @throws AdapterError; `DatabaseLocked` where another process has it
 */
export async function openSchemaSource(location: DatabaseLocation, opening: Opening): Promise<SchemaSource> {
  return location.dialect === 'sqlite'
    ? openSqlite(location.file, opening)
    : openPostgres(location.postgres, opening);
}

async function openSqlite(file: string, { mayCreate, migrations }: Opening): Promise<SchemaSource> {
  if (!mayCreate && !existsSync(file)) throw databaseError('ConnectionFailed', `there is no file ${file}`);
  const mapped = (error: unknown): Error => sqliteError(file, error);
  const { sqliteDataSource } = await import('../sqlite/migrate-sqlite.ts');
  let lock;
  try {
    createPrivateFile(file);
    createPrivateFile(`${file}.lock`);
    lock = lockForProcess(file);
  } catch (error) {
    throw mapped(error);
  }
  const source = withMigrations(sqliteDataSource(file), migrations);
  try {
    await source.initialize();
  } catch (error) {
    lock.release();
    throw mapped(error);
  }
  const { release } = lock;
  return {
    source,
    mapped,
    close: async () => {
      await source.destroy();
      release();
    },
  };
}

async function openPostgres(location: PostgresLocation, { migrations }: Opening): Promise<SchemaSource> {
  const { advisoryLock, postgresDataSource } = await import('../postgres/migrate-postgres.ts');
  const mapped = (error: unknown): Error => postgresError(error, location);
  const lock = new pg.Client(connectionSettings(location, timeoutMilliseconds));
  lock.on('error', () => undefined);
  const source = withMigrations(postgresDataSource(location), migrations);
  try {
    await lock.connect();
    const { rows } = await lock.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [
      advisoryLock,
    ]);
    if (rows[0]?.held !== true)
      throw databaseError('DatabaseLocked', 'another process is changing the schema of this database');
    await source.initialize();
  } catch (error) {
    await endConnection(lock).catch(() => undefined);
    throw mapped(error);
  }
  return {
    source,
    mapped,
    close: async () => {
      await source.destroy();
      // Closing the connection releases the lock.
      await endConnection(lock);
    },
  };
}

function withMigrations(source: DataSource, migrations: Opening['migrations']): DataSource {
  return migrations === undefined ? source : source.setOptions({ migrations: [...migrations] });
}
