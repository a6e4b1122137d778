import { hostname } from 'node:os';
import Database from 'better-sqlite3';
import { databaseError } from '../connection/database-error.ts';

/** A held lock. */
export interface ProcessLock {
  readonly release: () => void;
}

/**
 * Locks the database file for this process. The lock is an open write transaction on a small file of its own beside
 * the database: the operating system releases it with the process, so a SIGKILL leaves nothing stale, and SQLite's own
 * locks on the database stay free for the readers. The lock file names its holder.
 *
 * @throws AdapterError `DatabaseLocked` naming the holder.
 */
export function lockForProcess(file: string): ProcessLock {
  const lock = new Database(`${file}.lock`, { timeout: 0 });
  try {
    lock.exec(
      'CREATE TABLE IF NOT EXISTS holder (only INTEGER PRIMARY KEY CHECK (only = 1), name TEXT NOT NULL)',
    );
    const holder = `process ${process.pid} on ${hostname()}`;
    lock.prepare('INSERT OR REPLACE INTO holder (only, name) VALUES (1, ?)').run(holder);
    lock.exec('BEGIN IMMEDIATE');
  } catch (error) {
    const holder = holderOf(lock);
    lock.close();
    throw databaseError('DatabaseLocked', `${file} is in use by ${holder}`, error);
  }
  return {
    release: () => {
      lock.close();
    },
  };
}

function holderOf(lock: Database.Database): string {
  try {
    const name: unknown = lock.prepare('SELECT name FROM holder').pluck().get();
    return typeof name === 'string' ? name : 'another process';
  } catch {
    return 'another process';
  }
}
