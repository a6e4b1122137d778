import { AdapterError } from '#kernel';

/** What went wrong with a database; stable, for machines. */
export type DatabaseErrorCode =
  /** The URL in the configuration cannot be read. */
  | 'InvalidDatabaseUrl'
  /** Another process holds the SQLite file. */
  | 'DatabaseLocked'
  /** The file is no database, or damaged. */
  | 'DatabaseCorrupt'
  | 'DatabaseFull'
  | 'ConnectionFailed'
  /** Wrong user, password or database, or no right to what was asked. */
  | 'AccessDenied'
  | 'MigrationFailed'
  | 'ConstraintViolated'
  /** Deadlock or serialization failure; nothing was stored. */
  | 'Contended'
  | 'QueryFailed'
  /** No answer in time. Whether a transaction was committed is not known. */
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

/** An `AdapterError` of this adapter; whether it is retryable follows from the code. */
export function databaseError(code: DatabaseErrorCode, message: string, cause?: unknown): AdapterError {
  return new AdapterError({ code, message, retryable: retryable.has(code), cause });
}

/** An error as it crosses from a worker thread. */
export interface PlainError {
  readonly code: DatabaseErrorCode;
  readonly message: string;
}
