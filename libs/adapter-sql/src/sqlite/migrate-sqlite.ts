import { DataSource } from 'typeorm';
import { migrations } from '../../../../migrations/index.ts';
import { databaseError } from '../connection/database-error.ts';
import { silentLogger } from '../connection/silent-logger.ts';
import { entitySchemas } from '../entities/index.ts';
import { sqliteError } from './sqlite-error.ts';

/** TypeORM's view of a SQLite file, with all migrations. */
export function sqliteDataSource(file: string): DataSource {
  return new DataSource({
    type: 'better-sqlite3',
    database: file,
    entities: entitySchemas('sqlite'),
    logger: silentLogger,
    migrations: [...migrations],
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'each',
  });
}

/**
 * Migrates the file to the newest schema. The caller holds the process lock.
 *
 * @throws AdapterError `MigrationFailed`; the failed migration is rolled back.
 */
export async function migrateSqlite(file: string): Promise<void> {
  const source = sqliteDataSource(file);
  try {
    await source.initialize();
    await source.runMigrations();
  } catch (error) {
    const mapped = sqliteError(file, error);
    if (mapped.code !== 'QueryFailed') throw mapped;
    throw databaseError('MigrationFailed', `migrating ${file}: ${String(error)}`, error);
  } finally {
    if (source.isInitialized) await source.destroy();
  }
}
