import { AdapterError, codeOf, messageOf } from '#kernel';
import { databaseError, type DatabaseErrorCode, type PlainError } from '../connection/database-error.ts';

const codes: readonly (readonly [prefix: string, code: DatabaseErrorCode])[] = [
  ['SQLITE_CONSTRAINT', 'ConstraintViolated'],
  ['SQLITE_FULL', 'DatabaseFull'],
  ['SQLITE_CORRUPT', 'DatabaseCorrupt'],
  ['SQLITE_NOTADB', 'DatabaseCorrupt'],
  ['SQLITE_BUSY', 'Contended'],
  ['SQLITE_CANTOPEN', 'ConnectionFailed'],
  ['SQLITE_READONLY', 'ReadOnly'],
  ['SQLITE_IOERR', 'ConnectionFailed'],
  // Of the file system itself.
  ['EROFS', 'ReadOnly'],
  ['EPERM', 'ReadOnly'],
  ['EACCES', 'ReadOnly'],
  ['ENOSPC', 'DatabaseFull'],
  ['EDQUOT', 'DatabaseFull'],
  ['EIO', 'ConnectionFailed'],
];

/** Maps an error of SQLite or of the file system. A file that is corrupt is named, with what to do. */
export function plainSqliteError(error: unknown, file: string): PlainError {
  const message = messageOf(error);
  if (error instanceof AdapterError) return { code: knownCode(error.code), message };
  const state = codeOf(error) ?? '';
  const code = codes.find(([prefix]) => state.startsWith(prefix))?.[1] ?? 'QueryFailed';
  const text = state === '' ? message : `${state}: ${message}`;
  return { code, message: code === 'DatabaseCorrupt' ? `${file} is corrupt (${text}); ${cure}` : text };
}

/** The same, as an error of this adapter. */
export function sqliteError(file: string, error: unknown): AdapterError {
  const { code, message } = plainSqliteError(error, file);
  return databaseError(code, message, error);
}

const cure =
  'nothing is repaired by itself: stop the controller, keep the file with its -wal and -shm, and restore a backup ' +
  '(plimsoll restore)';

function knownCode(code: string): DatabaseErrorCode {
  return code as DatabaseErrorCode;
}
