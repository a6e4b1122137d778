import type { DataSource, QueryRunner } from 'typeorm';
import { fenceExpirySeconds } from '#ledger';
import { migrations } from '../../../../migrations/index.ts';
import { databaseError } from '../connection/database-error.ts';
import { parseDatabaseUrl } from '../connection/database-url.ts';
import { knownMigrations } from '../connection/known-migrations.ts';
import type { ReadConnection } from '../connection/read-connection.ts';
import type { SqlDialect } from '../connection/sql-database.ts';
import { openReadConnection } from '../reading/open-read-connection.ts';
import { textOf } from '../statements/rows.ts';
import { openSchemaSource } from './schema-source.ts';

/** `Unknown`: of a newer release. */
export type MigrationState = 'Applied' | 'Pending' | 'Unknown';

export interface MigrationStatus {
  readonly name: string;
  readonly state: MigrationState;
}

/** What is to be done to a schema. */
export interface Migrating {
  readonly direction: 'Up' | 'Down';
  /** How many migrations are undone; without meaning for `Up`, which runs all that are pending. */
  readonly steps: number;
  /** Everything is done in a transaction that is rolled back. */
  readonly isDryRun: boolean;
  /** Called before each migration. */
  readonly onBegin: (name: string) => void;
}

/** Every migration that this release knows or the database has, oldest first. @throws AdapterError */
export async function readMigrations(url: string): Promise<readonly MigrationStatus[]> {
  const location = parseDatabaseUrl(url);
  const connection = await openReadConnection(location);
  try {
    return statusOf(await appliedMigrations(connection, location.dialect));
  } finally {
    await connection.close();
  }
}

/** The names of the migrations that a database has; none where it has no schema. */
export async function appliedMigrations(
  connection: ReadConnection,
  dialect: SqlDialect,
): Promise<readonly string[]> {
  const sql = {
    sqlite: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'migration'",
    postgres: "SELECT 'migration' AS name WHERE to_regclass('migration') IS NOT NULL",
  }[dialect];
  if ((await connection.query({ sql })).length === 0) return [];
  const rows = await connection.query({ sql: 'SELECT name FROM migration ORDER BY timestamp' });
  return rows.map((row) => textOf(row, 'name'));
}

function statusOf(applied: readonly string[]): readonly MigrationStatus[] {
  const known = knownMigrations();
  const done = new Set(applied);
  const unknown = applied.filter((name) => !known.includes(name));
  return [
    ...known.map((name): MigrationStatus => ({ name, state: done.has(name) ? 'Applied' : 'Pending' })),
    ...unknown.map((name): MigrationStatus => ({ name, state: 'Unknown' })),
  ];
}

/**
 * Runs or undoes migrations, alone: the schema is locked meanwhile.
 *
 * @returns their names, in the order in which they were done
 * @throws AdapterError; what was done before a migration that fails stays done
 */
export async function migrateDatabase(url: string, migrating: Migrating): Promise<readonly string[]> {
  const location = parseDatabaseUrl(url);
  const { source, mapped, close } = await openSchemaSource(location, { mayCreate: false });
  try {
    const status = statusOf(await appliedIn(source));
    requireKnown(status);
    if (migrating.direction === 'Down') await requireStopped(source);
    const names = namesOf(status, migrating);
    await (migrating.isDryRun ? rehearse : carryOut)(source, names, migrating);
    return names;
  } catch (error) {
    throw migrationError(mapped(error));
  } finally {
    await close();
  }
}

function migrationError(error: Error): Error {
  const isOurs = 'code' in error && error.code !== 'QueryFailed';
  return isOurs ? error : databaseError('MigrationFailed', error.message, error);
}

async function appliedIn(source: DataSource): Promise<readonly string[]> {
  const runner = source.createQueryRunner();
  try {
    if (!(await runner.hasTable('migration'))) return [];
  } finally {
    await runner.release();
  }
  const rows = await source.query<readonly { readonly name: string }[]>(
    'SELECT name FROM migration ORDER BY timestamp',
  );
  return rows.map(({ name }) => name);
}

function requireKnown(status: readonly MigrationStatus[]): void {
  const unknown = status.find(({ state }) => state === 'Unknown');
  if (unknown === undefined) return;
  throw databaseError(
    'NewerSchema',
    `the database has a newer schema than this release: ${unknown.name}; use the release that made it`,
  );
}

/** A controller that runs would go on with a schema that it does not know. On SQLite the file's lock shows that none does. */
async function requireStopped(source: DataSource): Promise<void> {
  if (source.options.type !== 'postgres') return;
  const [column] = await source.query<readonly object[]>(
    "SELECT 1 FROM information_schema.columns WHERE table_name = 'ledger_epoch' AND column_name = 'renewed_at'",
  );
  if (column === undefined) return;
  const [held] = await source.query<readonly object[]>(
    `SELECT scope FROM ledger_epoch WHERE holder IS NOT NULL
      AND renewed_at > EXTRACT(EPOCH FROM clock_timestamp()) * 1000 - ${fenceExpirySeconds * 1_000} LIMIT 1`,
  );
  if (held !== undefined)
    throw databaseError('DatabaseLocked', 'a controller works with this database; stop it first');
}

function namesOf(status: readonly MigrationStatus[], { direction, steps }: Migrating): readonly string[] {
  const named = (wanted: MigrationState): readonly string[] =>
    status.filter(({ state }) => state === wanted).map(({ name }) => name);
  return direction === 'Up' ? named('Pending') : named('Applied').slice(-steps).reverse();
}

async function carryOut(
  source: DataSource,
  names: readonly string[],
  { direction, onBegin }: Migrating,
): Promise<void> {
  if (direction === 'Up') {
    for (const name of names) onBegin(name);
    await source.runMigrations({ transaction: 'each' });
    return;
  }
  for (const name of names) {
    onBegin(name);
    await source.undoLastMigration({ transaction: 'each' });
  }
}

/** Does everything in one transaction, and rolls it back. */
async function rehearse(
  source: DataSource,
  names: readonly string[],
  { direction, onBegin }: Migrating,
): Promise<void> {
  const runner = source.createQueryRunner();
  await runner.startTransaction();
  try {
    for (const name of names) {
      onBegin(name);
      await rehearseOne(runner, name, direction);
    }
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

async function rehearseOne(
  runner: QueryRunner,
  name: string,
  direction: Migrating['direction'],
): Promise<void> {
  const Migration = migrations.find((candidate) => new candidate().name === name);
  if (Migration === undefined) return;
  const migration = new Migration();
  await (direction === 'Up' ? migration.up(runner) : migration.down(runner));
}
