import { existsSync } from 'node:fs';
import { databaseError } from '../connection/database-error.ts';
import type { ReadConnection } from '../connection/read-connection.ts';
import { type ReadingRole, SqliteConnection } from './sqlite-connection.ts';
import { sqliteError } from './sqlite-error.ts';

/**
 * Opens a SQLite file for reading only, in this thread, also while another process writes it.
 *
 * @throws AdapterError
 */
export function openSqliteReader(file: string, role: ReadingRole): ReadConnection {
  if (!existsSync(file)) throw databaseError('ConnectionFailed', `there is no file ${file}`);
  const connection = guarded(file, () => new SqliteConnection(file, role));
  const run = <T>(read: () => T): Promise<T> => Promise.resolve().then(() => guarded(file, read));
  return {
    dialect: 'sqlite',
    query: (query) => run(() => connection.query(query)),
    queryUntil: (query, isLast) => run(() => connection.query(query, isLast)),
    beginSnapshot: () => run(() => connection.beginSnapshot()),
    endSnapshot: () => run(() => connection.endSnapshot()),
    close: () => run(() => connection.close()),
  };
}

function guarded<T>(file: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw sqliteError(file, error);
  }
}
