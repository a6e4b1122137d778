import { DataSource } from 'typeorm';
import { migrations } from '../../../../migrations/index.ts';
import { databaseError } from '../database-error.ts';
import { entitySchemas } from '../entities/index.ts';

/** The migrations of a SQLite file, run by the process that holds it. */
export function sqliteDataSource(file: string): DataSource {
  return new DataSource({
    type: 'better-sqlite3',
    database: file,
    entities: entitySchemas('sqlite'),
    migrations: [...migrations],
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'each',
  });
}

/**
 * Brings the file to the newest schema.
 *
 * @throws AdapterError `MigrationFailed`; the migration that failed left nothing behind.
 */
export async function migrateSqlite(file: string): Promise<void> {
  const source = sqliteDataSource(file);
  try {
    await source.initialize();
    await source.runMigrations();
  } catch (error) {
    throw databaseError('MigrationFailed', `migrating ${file}: ${String(error)}`, error);
  } finally {
    if (source.isInitialized) await source.destroy();
  }
}
