import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { AdapterError, codeOf, fileFault, messageOf } from '#kernel';
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

/** Maps an error of SQLite or of the file system. The file is named, and one that is corrupt with what to do. */
export function plainSqliteError(error: unknown, file: string): PlainError {
  if (error instanceof AdapterError) return { code: knownCode(error.code), message: error.message };
  const state = codeOf(error) ?? '';
  const code = codes.find(([prefix]) => state.startsWith(prefix))?.[1] ?? 'QueryFailed';
  if (!state.startsWith('SQLITE_')) return { code, message: fileFault(error) };
  const text = `${state}: ${messageOf(error)}`;
  if (code === 'DatabaseCorrupt') return { code, message: `${file} is corrupt (${text}); ${cure}` };
  if (!ofFiles.has(code)) return { code, message: text };
  return { code, message: `${findForbidden(file) ?? file} (${text})` };
}

/** SQLite says of them neither which file it could not use, nor that its owner is another user. */
const ofFiles: ReadonlySet<DatabaseErrorCode> = new Set(['ConnectionFailed', 'ReadOnly']);

/** Which file of the database, or its folder, this process may not use, and why; undefined: it may use all that are there. */
function findForbidden(file: string): string | undefined {
  const files = [file, `${file}-wal`, `${file}-shm`, dirname(file)];
  for (const right of [constants.R_OK, constants.W_OK]) {
    for (const each of files) {
      try {
        accessSync(each, right);
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') return fileFault(error);
      }
    }
  }
  return undefined;
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
