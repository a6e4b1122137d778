import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestOptions } from 'node:http';
import type { Readable } from 'node:stream';
import type { Problem } from '#contracts';
import { messageOf } from '#kernel';
import { UnusableError } from '../unusable-error.ts';
import type { Context } from './contexts.ts';

/** A sync may fetch a repository. */
const timeoutMilliseconds = 150_000;
const maximumAnswerBytes = 64 * 1024 * 1024;

/** The controller refused what was asked. Ends with status 1. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.code}: ${problem.detail}`);
    this.problem = problem;
  }
}

/** What is asked of the API; `path` is below `/api/v1`. */
export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
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
  { server, token }: Context,
  request: ApiRequest,
  repeated?: RepeatedQuestion,
): Promise<T> {
  const url = urlOf(server, request);
  const known = repeated?.known.get(url.href);
  const answer = await exchange(url, { ...request, token, known, signal: repeated?.signal }).catch(
    (error: unknown) => {
      throw new UnusableError(`${server} does not answer: ${messageOf(error)}`);
    },
  );
  if (answer.status === 304 && known !== undefined) {
    repeated?.found.set(url.href, known);
    return known.value as T;
  }
  const value = acceptedValue(server, answer);
  if (answer.tag !== undefined) repeated?.found.set(url.href, { tag: answer.tag, value });
  return value as T;
}

type KnownAnswer = KnownAnswers extends Map<string, infer A> ? A : never;

interface Exchange extends ApiRequest {
  readonly token: string;
  readonly known: KnownAnswer | undefined;
  readonly signal: AbortSignal | undefined;
}

function exchange(url: URL, { method = 'GET', body, token, known, signal }: Exchange): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return send(url, text, {
    method,
    ...(signal === undefined ? {} : { signal }),
    timeout: timeoutMilliseconds,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      ...(known === undefined ? {} : { 'if-none-match': known.tag }),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...(method === 'GET' ? {} : { 'idempotency-key': randomUUID() }),
    },
  });
}

/** @throws RefusedError; UnusableError */
function acceptedValue(server: string, { status, text }: Answer): unknown {
  const value = parsed(server, text);
  if (status < 400) return value;
  if (status === 401) throw new UnusableError(`${server} does not know the token: log in again`);
  throw new RefusedError(value as Problem);
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly tag: string | undefined;
}

/** Asks for a text, which is read as it comes. @throws RefusedError; UnusableError */
export async function askText({ server, token }: Context, { path }: ApiRequest): Promise<Readable> {
  const url = urlOf(server, { path });
  const answer = await open(url, undefined, {
    timeout: timeoutMilliseconds,
    headers: { authorization: `Bearer ${token}` },
  }).catch((error: unknown) => {
    throw new UnusableError(`${server} does not answer: ${messageOf(error)}`);
  });
  if (answer.statusCode === 200) return answer;
  throw new RefusedError(parsed(server, await textOf(answer)) as Problem);
}

function parsed(server: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnusableError(`${server} does not answer as Plimsoll's API; is that its address?`);
  }
}

function urlOf(server: string, { path, query = {} }: ApiRequest): URL {
  let url: URL;
  try {
    url = new URL(`/api/v1${path}`, server);
  } catch {
    throw new UnusableError(`${JSON.stringify(server)} is no URL, such as https://plimsoll.example.com`);
  }
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

async function send(url: URL, body: string | undefined, options: RequestOptions): Promise<Answer> {
  const answer = await open(url, body, options);
  return { status: answer.statusCode ?? 0, text: await textOf(answer), tag: answer.headers.etag };
}

async function open(url: URL, body: string | undefined, options: RequestOptions): Promise<IncomingMessage> {
  // Only what the URL needs is loaded: a command answers at once.
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, resolve);
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maximumAnswerBytes) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
