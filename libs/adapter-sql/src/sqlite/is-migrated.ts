import Database from 'better-sqlite3';
import { migrations } from '../../../../migrations/index.ts';

/** Whether a file has every migration: then TypeORM, which takes a third of a second, is not loaded at all. */
export function isMigrated(file: string): boolean {
  const database = new Database(file, { readonly: true });
  try {
    const done = new Set(database.prepare('SELECT name FROM migration').pluck().all());
    return migrations.every((Migration) => done.has(new Migration().name));
  } catch {
    // No table, or no database: the migration says which.
    return false;
  } finally {
    database.close();
  }
}
