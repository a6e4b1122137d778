import { AdapterError, messageOf } from '#kernel';
import { databaseError, type DatabaseErrorCode } from '../database-error.ts';

/** By SQLSTATE, whole or class, or by the socket's code; the first that fits. */
const codes: readonly (readonly [start: string, code: DatabaseErrorCode])[] = [
  ['40001', 'Contended'],
  ['40P01', 'Contended'],
  ['55P03', 'Contended'],
  ['57014', 'Timeout'],
  ['57P', 'ConnectionFailed'],
  ['53100', 'DatabaseFull'],
  ['53300', 'ConnectionFailed'],
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
];

/** The driver says these in words only. */
const messages: readonly (readonly [part: string, code: DatabaseErrorCode])[] = [
  ['Query read timeout', 'Timeout'],
  ['timeout exceeded when trying to connect', 'ConnectionFailed'],
  ['Connection terminated', 'ConnectionFailed'],
  ['connection timeout', 'ConnectionFailed'],
  ['Cannot use a pool after calling end', 'Closed'],
];

/**
 * What the driver threw, as an error of this adapter. The cause is a new error with a code and a message and nothing
 * else: the driver's own may hold parameters, rows and the connection's settings.
 */
export function postgresError(error: unknown, redact: (text: string) => string): AdapterError {
  if (error instanceof AdapterError) return error;
  const state = stateOf(error);
  const message = redact(joinedMessage(error));
  const known =
    codes.find(([start]) => state.startsWith(start)) ?? messages.find(([part]) => message.includes(part));
  const text = state === '' ? message : `${state}: ${message}`;
  return databaseError(known?.[1] ?? 'QueryFailed', `PostgreSQL: ${text}`, new Error(text));
}

/** Strips a password in each form it may appear in. */
export function redactor(password: string | undefined): (text: string) => string {
  if (password === undefined || password === '') return (text) => text;
  const forms = [password, encodeURIComponent(password), encodeURI(password)];
  return (text) => forms.reduce((stripped, form) => stripped.replaceAll(form, '***'), text);
}

function stateOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/** A host with several addresses fails with one error for each. */
function joinedMessage(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map((each) => joinedMessage(each)).join('; ');
  return messageOf(error);
}
