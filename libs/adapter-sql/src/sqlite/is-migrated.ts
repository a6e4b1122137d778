import Database from 'better-sqlite3';
import { migrations } from '../../../../migrations/index.ts';

/** Whether a file has every migration. If so, TypeORM is not loaded, which saves a third of a second. */
export function isMigrated(file: string): boolean {
  const database = new Database(file, { readonly: true });
  try {
    const done = new Set(database.prepare('SELECT name FROM migration').pluck().all());
    return migrations.every((Migration) => done.has(new Migration().name));
  } catch {
    // Without the table, or without a database, migrating reports what is wrong.
    return false;
  } finally {
    database.close();
  }
}
