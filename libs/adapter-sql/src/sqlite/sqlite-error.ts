import { AdapterError, messageOf } from '#kernel';
import type { DatabaseErrorCode, PlainError } from '../database-error.ts';

const codes: readonly (readonly [prefix: string, code: DatabaseErrorCode])[] = [
  ['SQLITE_CONSTRAINT', 'ConstraintViolated'],
  ['SQLITE_FULL', 'DatabaseFull'],
  ['SQLITE_CORRUPT', 'DatabaseCorrupt'],
  ['SQLITE_NOTADB', 'DatabaseCorrupt'],
  ['SQLITE_BUSY', 'Contended'],
  ['SQLITE_CANTOPEN', 'ConnectionFailed'],
  ['SQLITE_READONLY', 'ReadOnly'],
  ['SQLITE_IOERR', 'ConnectionFailed'],
];

/** Maps an error of SQLite or of the file system. */
export function plainSqliteError(error: unknown): PlainError {
  const message = messageOf(error);
  if (error instanceof AdapterError) return { code: knownCode(error.code), message };
  const code = codeOf(error);
  const known = codes.find(([prefix]) => code.startsWith(prefix));
  return { code: known?.[1] ?? 'QueryFailed', message: code === '' ? message : `${code}: ${message}` };
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

function knownCode(code: string): DatabaseErrorCode {
  return code as DatabaseErrorCode;
}
