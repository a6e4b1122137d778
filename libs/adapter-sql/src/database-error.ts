import { AdapterError } from '#kernel';

/** Stable codes of database failures. */
export type DatabaseErrorCode =
  /** The configured URL is malformed. */
  | 'InvalidDatabaseUrl'
  /** Another process holds the SQLite file. */
  | 'DatabaseLocked'
  /** The file is not a database, or it is damaged. */
  | 'DatabaseCorrupt'
  | 'DatabaseFull'
  | 'ConnectionFailed'
  /** Wrong user, password or database, or a missing privilege. */
  | 'AccessDenied'
  | 'MigrationFailed'
  | 'ConstraintViolated'
  /** A deadlock or serialization failure; nothing was stored. */
  | 'Contended'
  | 'QueryFailed'
  /** No answer in time; a transaction may have been committed. */
  | 'Timeout'
  | 'QueueFull'
  | 'TooManyRows'
  | 'Closed';

const retryable: ReadonlySet<DatabaseErrorCode> = new Set([
  'DatabaseFull',
  'ConnectionFailed',
  'Contended',
  'Timeout',
  'QueueFull',
]);

/** Makes an `AdapterError` of this adapter; the code decides whether it is retryable. */
export function databaseError(code: DatabaseErrorCode, message: string, cause?: unknown): AdapterError {
  return new AdapterError({ code, message, retryable: retryable.has(code), cause });
}

/** An error as a worker thread posts it. */
export interface PlainError {
  readonly code: DatabaseErrorCode;
  readonly message: string;
}
