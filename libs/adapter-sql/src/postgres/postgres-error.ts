import { AdapterError, codeOf, messageOf, redactCredentials } from '#kernel';
import { databaseError, type DatabaseErrorCode } from '../database-error.ts';

/** By SQLSTATE, its prefix, or the socket's error code; the first match counts. */
const codes: readonly (readonly [start: string, code: DatabaseErrorCode])[] = [
  ['40001', 'Contended'],
  ['40P01', 'Contended'],
  ['55P03', 'Contended'],
  ['57014', 'Timeout'],
  ['57P', 'ConnectionFailed'],
  ['53100', 'DatabaseFull'],
  ['53', 'ConnectionFailed'],
  ['58', 'ConnectionFailed'],
  ['25006', 'ReadOnly'],
  ['23', 'ConstraintViolated'],
  ['28', 'AccessDenied'],
  ['42501', 'AccessDenied'],
  ['3D000', 'AccessDenied'],
  ['08', 'ConnectionFailed'],
  ['XX001', 'DatabaseCorrupt'],
  ['XX002', 'DatabaseCorrupt'],
  ['ECONN', 'ConnectionFailed'],
  ['EPIPE', 'ConnectionFailed'],
  ['ENOTFOUND', 'ConnectionFailed'],
  ['EAI_AGAIN', 'ConnectionFailed'],
  ['ETIMEDOUT', 'ConnectionFailed'],
  ['EHOSTUNREACH', 'ConnectionFailed'],
  // A certificate that is not of the authority, not of the host, or out of date.
  ['UNABLE_TO_', 'ConnectionFailed'],
  ['SELF_SIGNED_', 'ConnectionFailed'],
  ['DEPTH_ZERO_', 'ConnectionFailed'],
  ['CERT_', 'ConnectionFailed'],
  ['ERR_TLS_', 'ConnectionFailed'],
  ['ERR_SSL_', 'ConnectionFailed'],
  ['ERR_OSSL_', 'ConnectionFailed'],
];

const sqlState = /^[0-9A-Z]{5}$/;

/** Errors of the driver that have a message but no code. */
const messages: readonly (readonly [part: string, code: DatabaseErrorCode])[] = [
  ['Query read timeout', 'Timeout'],
  ['timeout exceeded when trying to connect', 'ConnectionFailed'],
  ['Connection terminated', 'ConnectionFailed'],
  ['connection error and is not queryable', 'ConnectionFailed'],
  ['connection timeout', 'ConnectionFailed'],
  ['does not support SSL', 'ConnectionFailed'],
  ['client password must be', 'AccessDenied'],
  ['Cannot use a pool after calling end', 'Closed'],
];

/**
 * Maps an error of the driver. The cause is a new error with nothing but a code and a message, since the driver's own
 * may contain parameters, rows and the connection's settings.
 */
export function postgresError(error: unknown, redact: (text: string) => string): AdapterError {
  if (error instanceof AdapterError) return error;
  const state = codeOf(error) ?? '';
  const message = explained(redact(joinedMessage(error)));
  const known =
    codes.find(([start]) => state.startsWith(start)) ?? messages.find(([part]) => message.includes(part));
  const text = message.includes(state) ? message : `${state}: ${message}`;
  return databaseError(known?.[1] ?? 'QueryFailed', `PostgreSQL: ${text}`, new Error(text));
}

/** The driver says it in the words of its protocol. */
function explained(message: string): string {
  if (!message.includes('client password must be a string')) return message;
  const cure = 'give one in a file (database.passwordFile, --password-file) or in the URL';
  return `the server asks for a password, and there is none: ${cure} (${message})`;
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
