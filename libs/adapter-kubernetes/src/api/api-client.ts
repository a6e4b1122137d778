import { type Dispatcher, request as send } from 'undici';
import { type AdapterError, type Json, Semaphore } from '#kernel';
import { systemTiming, type Timing } from '../time/timing.ts';
import { type Access, requireAccess } from './access.ts';
import { answerFailure, isDeadSocket, transportFailure } from './api-failure.ts';
import type { Credentials, KubeConnection } from './kube-connection.ts';
import { type MapItem, parseJson, readList } from './read-json.ts';
import { readLines } from './read-lines.ts';
import { readText } from './read-text.ts';
import { retryDelayMilliseconds } from './retry-delay.ts';
import { type DeadlineOptions, withDeadline } from './with-deadline.ts';

/** One call to the API server. */
export interface ApiRequest {
  /** Default GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute, escaped, without a query: `/api/v1/namespaces/shop/pods`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: Json;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** Default `application/json`. */
  readonly accept?: string;
  /** Waiting for a place and for retries included. Default 10 s, of what asks for a change 12 s. */
  readonly timeoutMilliseconds?: number;
  /** Default 4 MiB: what is parsed in some 40 ms, during which nothing else runs. */
  readonly maximumBytes?: number;
  /** What the items of a list become as they arrive, so that a list of any length holds nothing up. */
  readonly mapItem?: MapItem;
  readonly signal?: AbortSignal | undefined;
}

/** How a client behaves; every source of data has its own, so that one that hangs takes no other's places. */
export interface ApiClientOptions {
  /** Requests at a time, watches not counted. Default 32. */
  readonly maximumConcurrency?: number;
  /** What is refused before it is sent; absent: nothing. */
  readonly access?: Access;
  readonly timing?: Timing;
  /** Hears which answer is parsed next, which may hold the thread. */
  readonly noteWork?: ((work: string) => void) | undefined;
}

const readTimeoutMilliseconds = 10_000;
/** An admission webhook has 10 s where it does not say otherwise: after those the API server names it. */
const changeTimeoutMilliseconds = 12_000;
const defaultMaximumBytes = 4 * 1024 * 1024;
const defaultConcurrency = 32;
/** An error's body is read for its message only. */
const maximumErrorBytes = 64 * 1024;
/** After this many refusals (429) the caller should rather try again at its next interval. */
const maximumRetries = 4;

interface Answer {
  readonly response: Dispatcher.ResponseData;
  readonly credentials: Credentials;
}

/** Speaks JSON to the API server: bounded in time, size and number, secrets kept out of every error. */
export class ApiClient {
  readonly #connection: KubeConnection;
  readonly #semaphore: Semaphore;
  readonly #timing: Timing;
  readonly #access: Access | undefined;
  readonly #noteWork: (work: string) => void;

  constructor(connection: KubeConnection, options: ApiClientOptions = {}) {
    this.#connection = connection;
    this.#semaphore = new Semaphore(options.maximumConcurrency ?? defaultConcurrency);
    this.#timing = options.timing ?? systemTiming;
    this.#access = options.access;
    this.#noteWork = options.noteWork ?? (() => undefined);
  }

  /**
   * Sends a request and parses the answer. A 429 is waited out as `Retry-After` says, a 401 tried once more with fresh
   * credentials, a GET on a connection that had died tried once more: all within the timeout.
   *
   * @throws AdapterError with a code for the status (`NotFound`, `Conflict`, `Forbidden`, `Expired`, `TooManyRequests`,
   *   `Invalid`, `ServerError`, …), `Timeout`, `Unreachable`, `TooLarge`, `Malformed`, `Overloaded`, `ReadOnly`, `NamespaceNotManaged`.
   */
  async json(request: ApiRequest): Promise<unknown> {
    const what = describe(request);
    const { maximumBytes = defaultMaximumBytes } = request;
    const waitedOut: { refusal: AdapterError | null } = { refusal: null };
    try {
      return await withDeadline({ ...patienceOf(request), signal: request.signal, what }, async (signal) => {
        requireAccess(request, this.#access);
        for (let attempt = 0; ; attempt += 1) {
          const outcome = await this.#semaphore.run(signal, () =>
            this.#attempt(request, { signal, maximumBytes }),
          );
          if ('value' in outcome) return outcome.value;
          if (outcome.retryAfterMilliseconds === undefined || attempt >= maximumRetries) throw outcome.error;
          waitedOut.refusal = outcome.error;
          await this.#timing.wait(outcome.retryAfterMilliseconds, signal);
          waitedOut.refusal = null;
        }
      });
    } catch (error) {
      // The server has answered: it wants to be left alone for longer than the request may take.
      throw request.signal?.aborted === true ? error : (waitedOut.refusal ?? error);
    }
  }

  /**
   * Opens a stream of lines, such as a watch. The signal ends it; it takes no place of the semaphore.
   *
   * @throws AdapterError as `json` does; `timeoutMilliseconds` bounds the wait for the headers, `maximumBytes` a line.
   */
  async lines(request: ApiRequest & { readonly signal: AbortSignal }): Promise<AsyncGenerator<string>> {
    const what = describe(request);
    const { timeoutMilliseconds = readTimeoutMilliseconds, maximumBytes = defaultMaximumBytes } = request;
    requireAccess(request, this.#access);
    const opening = new AbortController();
    const signal = AbortSignal.any([request.signal, opening.signal]);
    try {
      const { response, credentials } = await withDeadline(
        { timeoutMilliseconds, signal: request.signal, what },
        () => this.#openStream(request, signal),
      );
      return readLines({ what, body: response.body, maximumBytes, secrets: credentials.secrets });
    } catch (error) {
      opening.abort(error);
      throw error;
    }
  }

  async #openStream(request: ApiRequest, signal: AbortSignal): Promise<Answer> {
    const answer = await this.#open(request, signal);
    if (answer.response.statusCode < 300) return answer;
    if (answer.response.statusCode === 401) this.#connection.refresh();
    throw await this.#failure(describe(request), answer);
  }

  async #attempt(
    request: ApiRequest,
    { signal, maximumBytes }: { readonly signal: AbortSignal; readonly maximumBytes: number },
  ): Promise<Outcome> {
    const what = describe(request);
    const answer = await this.#openTwice(request, signal);
    const { response, credentials } = answer;
    if (response.statusCode < 300) {
      const body = { what, body: response.body, maximumBytes, secrets: credentials.secrets };
      const { mapItem } = request;
      if (mapItem !== undefined) {
        return {
          value: await readList(body, { mapItem, onChunk: () => this.#noteWork(`answer of ${what}`) }),
        };
      }
      const text = await readText(body);
      this.#noteWork(`answer of ${what}`);
      return { value: parseJson(what, text) };
    }
    const error = await this.#failure(what, answer);
    if (error.code !== 'TooManyRequests') return { error, retryAfterMilliseconds: undefined };
    const header = response.headers['retry-after'];
    const at = { now: this.#timing.now(), random: this.#timing.random() };
    return {
      error,
      retryAfterMilliseconds: retryDelayMilliseconds(typeof header === 'string' ? header : undefined, at),
    };
  }

  /** Once more after a 401, with credentials read anew, and for a read whose connection had died. */
  async #openTwice(request: ApiRequest, signal: AbortSignal): Promise<Answer> {
    try {
      const answer = await this.#open(request, signal);
      if (answer.response.statusCode !== 401) return answer;
      await answer.response.body.dump();
      this.#connection.refresh();
    } catch (error) {
      const isRead = (request.method ?? 'GET') === 'GET';
      if (!isRead || signal.aborted || !isDeadSocket(error)) throw error;
    }
    return this.#open(request, signal);
  }

  async #open(request: ApiRequest, signal: AbortSignal): Promise<Answer> {
    const credentials = await this.#connection.credentials();
    try {
      const response = await send(urlOf(this.#connection.server, request), {
        dispatcher: credentials.dispatcher,
        method: request.method ?? 'GET',
        signal,
        headersTimeout: 0,
        bodyTimeout: 0,
        headers: headersOf(request, credentials),
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      });
      return { response, credentials };
    } catch (error) {
      throw transportFailure(describe(request), error, credentials.secrets);
    }
  }

  async #failure(what: string, { response, credentials }: Answer): Promise<AdapterError> {
    const { secrets } = credentials;
    const bodyText = await readText({
      what,
      body: response.body,
      maximumBytes: maximumErrorBytes,
      secrets,
    }).catch(() => '');
    return answerFailure({ what, status: response.statusCode, bodyText, secrets });
  }
}

type Outcome =
  | { readonly value: unknown }
  | { readonly error: AdapterError; readonly retryAfterMilliseconds: number | undefined };

function patienceOf({
  method = 'GET',
  timeoutMilliseconds,
}: ApiRequest): Pick<DeadlineOptions, 'timeoutMilliseconds' | 'question'> {
  if (method === 'GET') return { timeoutMilliseconds: timeoutMilliseconds ?? readTimeoutMilliseconds };
  return {
    timeoutMilliseconds: timeoutMilliseconds ?? changeTimeoutMilliseconds,
    question: 'does an admission webhook take as long?',
  };
}

function describe({ method = 'GET', path }: ApiRequest): string {
  return `${method} ${path}`;
}

function urlOf(server: string, { path, query = {} }: ApiRequest): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) parameters.set(key, value);
  const text = parameters.toString();
  return text === '' ? server + path : `${server}${path}?${text}`;
}

function headersOf(request: ApiRequest, credentials: Credentials): Record<string, string> {
  const headers: Record<string, string> = {
    ...credentials.headers,
    accept: request.accept ?? 'application/json',
    'user-agent': 'plimsoll',
  };
  if (request.body !== undefined) headers['content-type'] = request.contentType ?? 'application/json';
  return headers;
}
