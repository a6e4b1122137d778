import { AdapterError, codeOf, messageOf, redactCredentials } from '#kernel';
import { databaseError, type DatabaseErrorCode } from '../connection/database-error.ts';
import type { DatabaseSettings, PostgresLocation } from '../connection/database-url.ts';

/** What is to be looked at; nothing where a server that was reached has ended the connection. */
type Cause = keyof DatabaseSettings;

/** SQLSTATE of a statement that waited for a lock for longer than it may. */
export const lockTimeout = '55P03';

/** By SQLSTATE, its prefix, or the socket's error code; the first match counts. */
const codes: readonly (readonly [start: string, code: DatabaseErrorCode, cause?: Cause])[] = [
  ['40001', 'Contended'],
  ['40P01', 'Contended'],
  [lockTimeout, 'Contended'],
  ['57014', 'Timeout'],
  // The server has ended a transaction that a process was stopped in, and with it the connection.
  ['25P03', 'Timeout'],
  ['25P04', 'Timeout'],
  ['57P', 'ConnectionFailed'],
  ['53100', 'DatabaseFull'],
  ['53', 'ConnectionFailed'],
  ['58', 'ConnectionFailed'],
  ['25006', 'ReadOnly'],
  ['23', 'ConstraintViolated'],
  ['28P01', 'AccessDenied', 'password'],
  ['28', 'AccessDenied', 'url'],
  ['42501', 'AccessDenied', 'url'],
  ['3D000', 'AccessDenied', 'url'],
  ['08', 'ConnectionFailed'],
  ['XX001', 'DatabaseCorrupt'],
  ['XX002', 'DatabaseCorrupt'],
  ['ECONNREFUSED', 'ConnectionFailed', 'url'],
  ['ECONN', 'ConnectionFailed'],
  ['EPIPE', 'ConnectionFailed'],
  ['ENOTFOUND', 'ConnectionFailed', 'url'],
  ['EAI_AGAIN', 'ConnectionFailed', 'url'],
  ['ETIMEDOUT', 'ConnectionFailed', 'url'],
  ['EHOST', 'ConnectionFailed', 'url'],
  // Also of a pod whose network is not there yet.
  ['ENET', 'ConnectionFailed', 'url'],
  // A certificate that is not of the authority, not of the host, or out of date.
  ['UNABLE_TO_', 'ConnectionFailed', 'url'],
  ['SELF_SIGNED_', 'ConnectionFailed', 'url'],
  ['DEPTH_ZERO_', 'ConnectionFailed', 'url'],
  ['CERT_', 'ConnectionFailed', 'url'],
  ['ERR_TLS_', 'ConnectionFailed', 'url'],
  ['ERR_SSL_', 'ConnectionFailed', 'url'],
  ['ERR_OSSL_', 'ConnectionFailed', 'url'],
];

const sqlState = /^[0-9A-Z]{5}$/;

/** Errors of the driver that have a message but no code. */
const messages: readonly (readonly [part: string, code: DatabaseErrorCode, cause?: Cause])[] = [
  ['Query read timeout', 'Timeout'],
  ['timeout exceeded when trying to connect', 'ConnectionFailed', 'url'],
  // The same, of a connection that is no pool's.
  ['timeout expired', 'ConnectionFailed', 'url'],
  ['Connection terminated', 'ConnectionFailed'],
  ['is not queryable', 'ConnectionFailed'],
  ['connection timeout', 'ConnectionFailed'],
  ['is not currently accepting connections', 'ConnectionFailed'],
  ['does not support SSL', 'ConnectionFailed', 'url'],
  ['error establishing an SSL connection', 'ConnectionFailed', 'url'],
  ['client password must be', 'AccessDenied'],
  ['Cannot use a pool after calling end', 'Closed'],
];

/**
 * Maps an error of the driver, and names the setting that is to be looked at. The cause is a new error with nothing but a
 * message, since the driver's own may contain parameters, rows and the connection's settings.
 */
export function postgresError(
  error: unknown,
  { password, settings }: Pick<PostgresLocation, 'password' | 'settings'>,
): AdapterError {
  if (error instanceof AdapterError) return error;
  const state = codeOf(error) ?? '';
  const message = explained(redactor(password)(joinedMessage(error)), settings?.password);
  const [, code = 'QueryFailed', cause] =
    codes.find(([start]) => state.startsWith(start)) ??
    messages.find(([part]) => message.includes(part)) ??
    [];
  const text = message.includes(state) ? message : `${state}: ${message}`;
  const named = cause === undefined || settings === undefined ? text : `${text} (${settings[cause]})`;
  return databaseError(code, `PostgreSQL: ${named}`, new Error(named));
}

/** The driver says it in the words of its protocol. */
function explained(message: string, setting = '--password-file'): string {
  if (!message.includes('client password must be a string')) return message;
  return `the server asks for a password, and there is none: give one in a file (${setting}) or in the URL (${message})`;
}

/**
 * Names the table whose lock another session kept for longer than a statement waits, where the server says which it is.
 *
 * @param sql the statement as it was sent
 */
export function lockWaitError(error: unknown, sql: string): unknown {
  if (codeOf(error) !== lockTimeout) return error;
  const table = awaitedTable(error as LockWait, sql) ?? 'what the statement needs';
  const message = `another session keeps a lock on ${table} (${messageOf(error)})`;
  return Object.assign(new Error(message), { code: lockTimeout });
}

/** What the server says of a wait for a table, and for a row. */
interface LockWait {
  /** Of the table's name in the statement, from 1. */
  readonly position?: string;
  /** `while updating tuple (0,1) in relation "ledger_epoch"` */
  readonly where?: string;
}

function awaitedTable({ position, where }: LockWait, sql: string): string | undefined {
  if (position === undefined) return /in relation "([^"]+)"/.exec(where ?? '')?.[1];
  return /^\w+/.exec(sql.slice(Number(position) - 1))?.[0];
}

/**
 * Maps an error of a COMMIT: where the server has not refused it, the transaction may have been committed.
 *
 * @param failure the same error, mapped by {@link postgresError}.
 */
export function commitError(error: unknown, failure: AdapterError): AdapterError {
  const isRefused = sqlState.test(codeOf(error) ?? '') && failure.code !== 'ConnectionFailed';
  return isRefused ? failure : databaseError('OutcomeUnknown', failure.message, failure.cause);
}

/** Returns a function that takes credentials and a password, plain or percent-encoded, out of a text. */
export function redactor(password: string | undefined): (text: string) => string {
  const secrets = password === undefined ? [] : [password, encodeURIComponent(password), encodeURI(password)];
  return (text) => redactCredentials(text, secrets);
}

/** A host with several addresses fails with one error per address. */
function joinedMessage(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map((each) => joinedMessage(each)).join('; ');
  return messageOf(error);
}
