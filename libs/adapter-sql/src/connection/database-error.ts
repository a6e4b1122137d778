import { AdapterError } from '#kernel';
import type { Fence, recordDamaged } from '#ledger';

/** Stable codes of database failures. */
export type DatabaseErrorCode =
  /** The configured URL is malformed. */
  | 'InvalidDatabaseUrl'
  /** Another process holds the SQLite file. */
  | 'DatabaseLocked'
  /** The file is not a database, or it is damaged. */
  | 'DatabaseCorrupt'
  /** What is recorded of one policy is there and cannot be read. */
  | typeof recordDamaged
  | 'DatabaseFull'
  /** What was opened is no longer at its path. */
  | 'FileGone'
  /** The file, its file system or the server takes no writes. */
  | 'ReadOnly'
  | 'ConnectionFailed'
  /** Wrong user, password or database, or a missing privilege. */
  | 'AccessDenied'
  | 'MigrationFailed'
  /** The schema is older than this program, which only reads. */
  | 'NotMigrated'
  /** The schema is of a newer release. */
  | 'NewerSchema'
  /** What is to be restored is no backup, or not all of one. */
  | 'BackupUnusable'
  /** The database to restore into has something in it. */
  | 'DatabaseNotEmpty'
  | 'ConstraintViolated'
  /** A deadlock, a serialization failure, or a lock that another session keeps; nothing was stored. */
  | 'Contended'
  | 'QueryFailed'
  /** No answer in time. Nothing was stored. */
  | 'Timeout'
  /** The answer to a transaction was lost: it was committed, or will be, or never will. */
  | 'OutcomeUnknown'
  /** What was asked for has been deleted by retention while it was read. */
  | 'EntriesExpired'
  | 'QueueFull'
  | 'TooManyRows'
  | 'Closed';

const retryable: ReadonlySet<DatabaseErrorCode> = new Set([
  'DatabaseFull',
  'FileGone',
  'ReadOnly',
  'ConnectionFailed',
  'Contended',
  'Timeout',
  'OutcomeUnknown',
  'QueueFull',
]);

/** Makes an `AdapterError` of this adapter; the code decides whether it is retryable. */
export function databaseError(code: DatabaseErrorCode, message: string, cause?: unknown): AdapterError {
  return new AdapterError({ code, message, retryable: retryable.has(code), system: 'Database', cause });
}

/** Makes the error of a write whose scope another process has taken over. */
export function fencedError(...fences: readonly Fence[]): AdapterError {
  return new AdapterError({
    code: 'Fenced',
    message: `another process has taken ${fences.map(({ scope }) => scope).join(' or ')} over`,
    retryable: true,
  });
}

/** An error as a worker thread posts it. */
export interface PlainError {
  readonly code: DatabaseErrorCode;
  readonly message: string;
}
