import { AdapterError, type Json, type JsonObject } from '#kernel';
import type { NetworkFiles } from '../network/network-files.ts';
import { requestText, type TextAnswer } from '../network/request-text.ts';
import { loadSecrets } from '../network/secret-file.ts';
import { notShown, objectsOf, unreadableAnswer } from './forge-answer.ts';
import { isLimited, pauseOf } from './rate-limit.ts';

/** Where an API is, and who asks. */
export interface ForgeAccess extends NetworkFiles {
  /** Without a slash at its end. */
  readonly apiUrl: string;
  readonly tokenFile: string;
  /** How the forge wants its token. */
  readonly authorization: (token: string) => Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** One request; `path` begins with a slash. */
export interface ForgeRequest {
  readonly path: string;
  /** Present: it is a POST. */
  readonly body?: Json;
}

/** A list that comes in pages. */
export interface PagedRequest {
  /** For the error. */
  readonly what: string;
  /** With its query, to which `page` is added. */
  readonly path: string;
  /** More pages than this are not asked for: the list is then not known. */
  readonly maximumPages: number;
}

/** A hundred pull requests with their descriptions. */
const maximumAnswerBytes = 4 * 1024 * 1024;

/**
 * Talks JSON with a forge: no redirect is followed, the token is read at each request and is in no error. A forge that
 * limits is not asked again before the time that it names.
 */
export class ForgeHttp {
  readonly #access: ForgeAccess;
  /** Milliseconds since 1970. */
  #quietUntil = 0;

  constructor(access: ForgeAccess) {
    this.#access = access;
  }

  /**
   * The answer of a request; undefined where the forge has nothing at that path.
   *
   * @throws AdapterError `Unreachable`, `Redirected`, `AuthenticationFailed`, `RateLimited` (with the time to wait), `ForgeRefused`,
   * `AnswerUnreadable`, `SecretUnreadable`.
   */
  async request(request: ForgeRequest): Promise<Json | undefined> {
    const answer = await this.#ask(request);
    return answer === undefined ? undefined : parseAnswer(answer.text);
  }

  /**
   * The objects of every page of a list. The next page is asked for by its number, never at an address that the answer
   * names.
   *
   * @throws AdapterError as `request` does, `NotShown` where a page is not there, and `TooManyPages`.
   */
  async requestPages({ what, path, maximumPages }: PagedRequest): Promise<readonly JsonObject[]> {
    const found: JsonObject[] = [];
    for (let page = 1; page <= maximumPages; page += 1) {
      const answer = await this.#ask({ path: `${path}&page=${page}` });
      if (answer === undefined) throw notShown(what);
      found.push(...objectsOf(parseAnswer(answer.text)));
      // How many a page holds is the server's to say, so a short page is no last one.
      if (!/\brel="?next\b/.test(String(answer.headers['link'] ?? ''))) return found;
    }
    throw tooManyPages(maximumPages);
  }

  async #ask(request: ForgeRequest): Promise<TextAnswer | undefined> {
    const now = this.#access.now();
    if (now < this.#quietUntil) throw limited(this.#quietUntil - now);
    const answer = await this.#send(request);
    const pause = pauseOf(answer, now);
    if (pause !== undefined) this.#quietUntil = now + pause;
    if (isLimited(answer)) throw limited(pause ?? 0);
    if (answer.status === 404 && request.body === undefined) return undefined;
    if (answer.status < 200 || answer.status > 299) throw refusal(answer);
    return answer;
  }

  async #send({ path, body }: ForgeRequest): Promise<TextAnswer> {
    const { apiUrl, tokenFile, authorization, caFile, proxyFile } = this.#access;
    const [token = ''] = await loadSecrets(tokenFile);
    return requestText({
      url: `${apiUrl}${path}`,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        'user-agent': 'plimsoll',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...authorization(token),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      maximumBytes: maximumAnswerBytes,
      ...(caFile === undefined ? {} : { caFile }),
      ...(proxyFile === undefined ? {} : { proxyFile }),
    });
  }
}

function parseAnswer(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw unreadableAnswer('it is no JSON');
  }
}

/** Status and nothing of the text: an answer could repeat what it was sent. */
function refusal({ status, text }: TextAnswer): AdapterError {
  return new AdapterError({
    code: codeOf(status),
    message: `the forge answered ${status}${meaningOf(status)}`,
    retryable: status >= 500 || status === 408 || status === 409,
    cause: isRepeatedState(status, text) ? 'StateRepeated' : undefined,
  });
}

/** What a person who reads of the refusal can do about it. */
function meaningOf(status: number): string {
  if (status >= 300 && status < 400) return ': it is, or the repository is, elsewhere; name the new address';
  return meanings.get(status) ?? '';
}

const meanings: ReadonlyMap<number, string> = new Map([
  [401, ': it does not know the token of forge.tokenFile, or that has expired'],
  [403, ': the token of forge.tokenFile lacks the right to do this'],
  [
    404,
    ': to the token of forge.tokenFile there is no such thing; look at its rights, and at forge.repository',
  ],
]);

function codeOf(status: number): string {
  if (status >= 300 && status < 400) return 'Redirected';
  return status === 401 || status === 403 ? 'AuthenticationFailed' : 'ForgeRefused';
}

/** GitLab, in older versions, refuses a status that is there already; another transition that it refuses is an error. */
function isRepeatedState(status: number, text: string): boolean {
  return (
    status === 400 && /via :(?:enqueue from :pending|success from :success|drop from :failed)/.test(text)
  );
}

function limited(milliseconds: number): AdapterError {
  return new AdapterError({
    code: 'RateLimited',
    message: `the forge limits requests for ${Math.ceil(milliseconds / 1_000)} seconds`,
    retryable: true,
    retryAfterMilliseconds: milliseconds,
  });
}

function tooManyPages(count: number): AdapterError {
  return new AdapterError({
    code: 'TooManyPages',
    message: `the forge has more than ${count} pages of it, so the whole is not known`,
    retryable: false,
  });
}
