import { hostname } from 'node:os';
import Database from 'better-sqlite3';
import { codeOf } from '#kernel';
import { databaseError } from '../connection/database-error.ts';
import { sqliteError } from './sqlite-error.ts';

/** A held lock. */
export interface ProcessLock {
  readonly release: () => void;
}

/**
 * Locks the database file for this process. The lock is an open write transaction on a small file of its own beside
 * the database: the operating system releases it with the process, so a SIGKILL leaves nothing stale, and SQLite's own
 * locks on the database stay free for the readers. The lock file names its holder.
 *
 * @throws AdapterError `DatabaseLocked` naming the holder, or what keeps this process from using the lock file.
 */
export function lockForProcess(file: string): ProcessLock {
  const lockFile = `${file}.lock`;
  const lock = openLock(lockFile);
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
    // Who stands in a file that cannot be written is one that has long ended.
    if (codeOf(error)?.startsWith('SQLITE_BUSY') !== true) throw unusable(lockFile, error);
    throw databaseError('DatabaseLocked', `${file} is in use by ${holder}`, error);
  }
  return {
    release: () => {
      lock.close();
    },
  };
}

function openLock(lockFile: string): Database.Database {
  try {
    return new Database(lockFile, { timeout: 0 });
  } catch (error) {
    throw unusable(lockFile, error);
  }
}

function unusable(lockFile: string, error: unknown): Error {
  const mapped = sqliteError(lockFile, error);
  if (mapped.code !== 'DatabaseCorrupt') return mapped;
  const text = `${lockFile} is damaged; it holds nothing that is kept: delete it while no process has the database`;
  return databaseError(mapped.code, text, error);
}

function holderOf(lock: Database.Database): string {
  try {
    const name: unknown = lock.prepare('SELECT name FROM holder').pluck().get();
    return typeof name === 'string' ? name : 'another process';
  } catch {
    return 'another process';
  }
}
