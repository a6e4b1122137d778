import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Problem } from '#contracts';
import { codeOf, isJsonObject, type JsonObject } from '#kernel';
import { UnusableError } from '../unusable-error.ts';
import { type KeptContext, lastingContext } from './contexts.ts';
import { openAnswer, type WholeAnswer, wholeAnswer } from './http-exchange.ts';
import { onOneLine, reasonOf } from './one-line.ts';
import { serverUrl } from './server-url.ts';

/** Of a whole answer; an action may fetch a repository. */
const readSeconds = 30;
const actionSeconds = 150;
const maximumAnswerBytes = 64 * 1024 * 1024;

/** The controller refused what was asked. Ends with status 1. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(onOneLine(`${problem.code}: ${problem.detail}`));
    this.problem = problem;
  }
}

/** The controller does not know the token. Ends with status 2. */
export class UnknownTokenError extends UnusableError {}

/** Asks the API, and reads its answer. @throws RefusedError, UnusableError */
export type Ask = <A>(request: ApiRequest) => Promise<A>;

/** What is asked of the API; `path` is below `/api/v1`. */
export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: object;
}

/** Answers by their URL, with what the controller knows them by. */
export type KnownAnswers = Map<string, { readonly tag: string; readonly value: unknown }>;

/** A question that is asked again: what has not changed is not sent. */
export interface RepeatedQuestion {
  readonly known: KnownAnswers;
  /** Where the answers of now are kept. */
  readonly found: KnownAnswers;
  readonly signal: AbortSignal;
}

/** Asks a controller's REST API. @throws RefusedError; UnusableError where there is no answer to read */
export async function ask<T>(
  context: KeptContext,
  request: ApiRequest,
  repeated?: RepeatedQuestion,
): Promise<T> {
  const { server, token } = await lastingContext(context);
  const url = urlOf(server, `/api/v1${request.path}`, request.query);
  const known = repeated?.known.get(url.href);
  const seconds = context.timeoutSeconds ?? (request.method === undefined ? readSeconds : actionSeconds);
  const answer = await exchange(url, { ...request, token, known, seconds, signal: repeated?.signal });
  if (answer.status === 304 && known !== undefined) {
    repeated?.found.set(url.href, known);
    return known.value as T;
  }
  const value = acceptedValue(context, answer);
  const { etag: tag } = answer.headers;
  if (tag !== undefined) repeated?.found.set(url.href, { tag, value });
  return value as T;
}

/** What a controller says to everyone; an empty object: it does not know the path. @throws UnusableError */
export async function askOpenly(
  { server, timeoutSeconds = readSeconds }: Pick<KeptContext, 'server' | 'timeoutSeconds'>,
  path: string,
): Promise<JsonObject> {
  const answer = await exchange(urlOf(server, path), { path, seconds: timeoutSeconds });
  return answer.status === 401 || answer.status === 404 ? {} : acceptedValue({ server }, answer);
}

type KnownAnswer = KnownAnswers extends Map<string, infer A> ? A : never;

interface Exchange extends ApiRequest {
  /** Absent: the caller is not named. */
  readonly token?: string;
  readonly known?: KnownAnswer | undefined;
  readonly seconds: number;
  readonly signal?: AbortSignal | undefined;
}

async function exchange(url: URL, { method = 'GET', body, ...asked }: Exchange): Promise<WholeAnswer> {
  const { token, known, signal, seconds } = asked;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const timeout = AbortSignal.timeout(seconds * 1_000);
  const options = {
    method,
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    // Else the agent of Node gives up after five seconds in which nothing came, as while a sync fetches.
    timeout: 0,
    headers: {
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(known === undefined ? {} : { 'if-none-match': known.tag }),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...(method === 'GET' ? {} : { 'idempotency-key': randomUUID() }),
    },
  };
  try {
    return await wholeAnswer(await openAnswer(url, text, options), maximumAnswerBytes);
  } catch (error) {
    const reason = timeout.aborted ? `nothing came within ${secondsText(seconds)}` : reasonAt(url, error);
    throw new UnusableError(`${url.origin} does not answer: ${reason}`);
  }
}

/** A server that speaks TLS hangs up on what does not. */
function reasonAt({ protocol }: URL, error: unknown): string {
  const isHungUp = protocol === 'http:' && codeOf(error) === 'ECONNRESET';
  return `${reasonOf(error)}${isHungUp ? '; is its address https://?' : ''}`;
}

function secondsText(seconds: number): string {
  return `${seconds} second${seconds === 1 ? '' : 's'}`;
}

/** Another login helps where the token is of one; where it was given, by a file or the environment, another token does. */
function unknownToken({ server, kept }: Asked): UnknownTokenError {
  const cure =
    kept === undefined ? 'it is mistyped, revoked, over, or of another controller' : 'log in again';
  return new UnknownTokenError(`${server} does not know the token: ${cure}`);
}

type Asked = Pick<KeptContext, 'server' | 'kept'>;

/** @throws RefusedError; UnusableError */
function acceptedValue(asked: Asked, answer: WholeAnswer): JsonObject {
  const { server } = asked;
  const { status } = answer;
  if (status === 401) throw unknownToken(asked);
  if (status >= 300 && status < 400) throw redirection(server, answer.headers);
  const value = objectIn(answer.text);
  if (value !== undefined && status < 300) return value;
  if (value === undefined || !isProblem(value)) {
    const shown = status < 300 ? '' : ` (${status})`;
    throw new UnusableError(`${server} does not answer as Plimsoll's API${shown}; is that its address?`);
  }
  if (status < 500) throw new RefusedError(value);
  throw new UnusableError(onOneLine(`${server} cannot answer: ${value.code}: ${value.detail}`));
}

/** A token goes to no other server. */
export function redirection(server: string, { location }: IncomingHttpHeaders): UnusableError {
  const place = location === undefined ? 'elsewhere' : `to ${onOneLine(location)}`;
  return new UnusableError(`${server} redirects ${place}: log in with the address of the controller itself`);
}

/** Asks for a text, which is read as it comes. @throws RefusedError; UnusableError */
export async function askText(context: KeptContext, { path }: ApiRequest): Promise<Readable> {
  const { server, token } = await lastingContext(context);
  const { timeoutSeconds = actionSeconds } = context;
  const options = { timeout: timeoutSeconds * 1_000, headers: { authorization: `Bearer ${token}` } };
  let answer: WholeAnswer;
  try {
    const opened = await openAnswer(urlOf(server, `/api/v1${path}`), undefined, options);
    if (opened.statusCode === 200) return opened;
    answer = await wholeAnswer(opened, maximumAnswerBytes);
  } catch (error) {
    throw new UnusableError(`${server} does not answer: ${reasonOf(error)}`);
  }
  acceptedValue(context, answer);
  throw new UnusableError(`${server} does not answer as Plimsoll's API (${answer.status})`);
}

/** Undefined: the text is no JSON object, or not a whole one. */
function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isProblem(value: JsonObject): value is JsonObject & Problem {
  return typeof value['code'] === 'string' && typeof value['detail'] === 'string';
}

/** Below the path of the controller, which may stand behind a proxy. @throws UnusableError */
function urlOf(server: string, path: string, query: ApiRequest['query'] = {}): URL {
  const base = serverUrl(server);
  const url = new URL(`${base.origin}${base.pathname.replace(/\/$/, '')}${path}`);
  for (const [name, value] of Object.entries(query))
    for (const each of [value].flat()) if (each !== undefined) url.searchParams.append(name, each);
  return url;
}
