import { AdapterError, cutText, isJsonObject, redactCredentials } from '#kernel';
import type { ScaleWriteFailure, VersionRetirementOutcome } from '#reconciliation';

/** An answer outside 2xx. */
export interface FailedAnswer {
  readonly what: string;
  readonly status: number;
  readonly bodyText: string;
  readonly secrets: readonly string[];
}

/** A message is for one line of a log. */
const maximumMessageLength = 500;

const codes: ReadonlyMap<number, string> = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [406, 'NotAcceptable'],
  [409, 'Conflict'],
  [410, 'Expired'],
  // Of what was sent: an answer that is too large is `TooLarge`.
  [413, 'RequestTooLarge'],
  [415, 'UnsupportedMediaType'],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [504, 'Timeout'],
]);

/** Refusals that end by themselves: credentials are renewed, versions are read again, a server has less to do. */
const passing: ReadonlySet<number> = new Set([401, 409, 410, 429]);

/** The error for an answer outside 2xx: its code from the status, its message from the Status object, cleaned. */
export function answerFailure({ what, status, bodyText, secrets }: FailedAnswer): AdapterError {
  const unserved = unservedApi(what, status, bodyText);
  const unavailable = unavailableApi(what, status, bodyText);
  const said = unserved ?? unavailable ?? redactCredentials(serverMessage(bodyText), secrets);
  const message = `${what}: ${status} ${cutText(said, maximumMessageLength)}`;
  if (unserved !== undefined) {
    return new AdapterError({
      code: 'NotFound',
      message,
      retryable: false,
      cause: new UnservedApi(unserved),
    });
  }
  if (isDenied(said)) return new AdapterError({ code: 'Forbidden', message, retryable: false });
  if (said.startsWith(webhookFailure))
    return new AdapterError({ code: 'WebhookFailed', message, retryable: false });
  const code = codes.get(status) ?? (status >= 500 ? 'ServerError' : 'UnexpectedStatus');
  const retryable = status >= 500 || passing.has(status);
  return new AdapterError({ code, message, retryable });
}

const denials = [
  /^admission webhook "[^"]*" denied the request/,
  / is forbidden: ValidatingAdmissionPolicy '[^']*'(?: with binding '[^']*')? denied request: /,
];

/**
 * Whether admission refused the request: then nothing was made, and the same request is refused again, whatever status the
 * webhook or the policy chose.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#response
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
function isDenied(said: string): boolean {
  return denials.some((denial) => denial.test(said));
}

/**
 * Of an admission webhook that has to be asked and gives no answer that can be used: admission comes before storage, so
 * nothing was made, and the same request fails until the webhook works again.
 */
const webhookFailure = 'Internal error occurred: failed calling webhook ';

/** There was no connection, so nothing can have been sent. */
const notSent: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The error for a call that got no answer (`NotConnected`: certainly never sent; else `Unreachable`); what is an AdapterError already passes through. */
export function transportFailure(what: string, error: unknown, secrets: readonly string[]): AdapterError {
  if (error instanceof AdapterError) return error;
  const fields = isJsonObject(error) ? error : {};
  const text = redactCredentials(
    typeof fields['message'] === 'string' ? fields['message'] : String(error),
    secrets,
  );
  const code = typeof fields['code'] === 'string' ? fields['code'] : 'unknown';
  return new AdapterError({
    code: notSent.has(code) ? 'NotConnected' : 'Unreachable',
    message: `${what}: ${cutText(text, maximumMessageLength)} (${code})`,
    retryable: true,
    cause: new TransportFault(text, code),
  });
}

/** What became of the connection. */
class TransportFault extends Error {
  override readonly name = 'TransportFault';
  /** Of Node or undici; `unknown`: it gave none. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

const deadSocketCodes: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Whether the connection had ended before the answer, as one does that was kept for too long. */
export function isDeadSocket(error: unknown): boolean {
  return (
    error instanceof AdapterError &&
    error.cause instanceof TransportFault &&
    deadSocketCodes.has(error.cause.code)
  );
}

/** Whether an error is of this adapter and has the code. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof AdapterError && error.code === code;
}

/** A version of an object. */
interface Versioned {
  readonly resourceVersion: string;
}

/**
 * What a 409 is to a request that was sent on a version, by the one that is there afterwards: where that is the same, nobody
 * was quicker, and the same request is answered alike.
 */
export function conflictOf(
  failure: ScaleWriteFailure,
  { sent, present }: { readonly sent: Versioned; readonly present: Versioned },
): ScaleWriteFailure {
  const { resourceVersion } = present;
  return resourceVersion === sent.resourceVersion
    ? unfoundedConflict(failure, `version ${resourceVersion} is the present one`)
    : failure;
}

/** The failure for a 409 that tells of no race, and why it does not. */
export function unfoundedConflict({ message }: ScaleWriteFailure, why: string): AdapterError {
  const said = `${message}, though ${why}: what stands before the API server, or an admission webhook, may answer so`;
  return new AdapterError({ code: 'UnfoundedConflict', message: said, retryable: true });
}

/** After these the server may have done what it was asked. */
const unknownOutcomeCodes: ReadonlySet<string> = new Set([
  'Timeout',
  'Unreachable',
  'ServerError',
  'Malformed',
  'TooLarge',
]);

/** Whether a write that failed so may have been made. */
export function isUnknownOutcome({ code }: AdapterError): boolean {
  return unknownOutcomeCodes.has(code);
}

/**
 * What a version is that could not be made a former one: where the object is gone, or has another, that one is. A webhook that
 * fails works again one day, so that it may still be made one.
 */
export function unretired({
  code,
  message,
  retryable,
}: ScaleWriteFailure): Exclude<VersionRetirementOutcome, { readonly kind: 'Retired' }> {
  if (code === 'Conflict' || code === 'NotFound') return { kind: 'Changed' };
  return { kind: retryable || code === 'WebhookFailed' ? 'Unknown' : 'Refused', message };
}

/** What an API server answers for a group that it does not serve is no Status; undefined: it is something else. */
function unservedApi(what: string, status: number, bodyText: string): string | undefined {
  const [, version] = /\/apis\/([^/]+\/[^/ ]+)/.exec(what) ?? [];
  if (status !== 404 || version === undefined || bodyText.trim() !== '404 page not found') return undefined;
  return `the API server does not serve ${version}: is what provides it installed?`;
}

/** What an API server answers for another one that it finds unavailable is no Status either; undefined: it is something else. */
function unavailableApi(what: string, status: number, bodyText: string): string | undefined {
  const [, group, version] = /\/apis\/([^/]+)\/([^/ ]+)/.exec(what) ?? [];
  if (status !== 503 || group === undefined || version === undefined) return undefined;
  if (bodyText.trim() !== 'service unavailable') return undefined;
  return `what serves ${group}/${version} is unavailable to the API server: kubectl get apiservice ${version}.${group} says why`;
}

/** Of a path that leads to nothing, as where discovery was asked before a definition was removed or replaced. */
class UnservedApi extends Error {
  override readonly name = 'UnservedApi';
}

/** Whether the API server serves nothing at the path, in place of no object of the name. */
export function isUnservedApi(error: unknown): boolean {
  return error instanceof AdapterError && error.cause instanceof UnservedApi;
}

function serverMessage(bodyText: string): string {
  try {
    const body: unknown = JSON.parse(bodyText);
    if (isJsonObject(body) && typeof body['message'] === 'string') return body['message'];
  } catch {
    // Not a Status object: a proxy's page. Its first line is shown as it is.
  }
  return bodyText.split('\n', 1)[0] ?? '';
}
