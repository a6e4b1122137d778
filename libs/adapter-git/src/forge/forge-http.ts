import { AdapterError, type Json } from '#kernel';

import { apiTimeoutMilliseconds } from '../git-limits.ts';
import { loadSecrets } from './secret-file.ts';

/** Where an API is, and who asks. */
export interface ForgeAccess {
  /** Without a slash at its end. */
  readonly apiUrl: string;
  readonly tokenFile: string;
  /** How the forge wants its token. */
  readonly authorization: (token: string) => Readonly<Record<string, string>>;
}

/** One request; `path` begins with a slash. */
export interface ForgeRequest {
  readonly path: string;
  /** Present: it is a POST. */
  readonly body?: Json;
}

/** A hundred pull requests with their descriptions. */
const maximumAnswerBytes = 4 * 1024 * 1024;

/** Talks JSON with a forge: no redirect is followed, the token is read at each request and is in no error. */
export class ForgeHttp {
  readonly #access: ForgeAccess;

  constructor(access: ForgeAccess) {
    this.#access = access;
  }

  /**
   * The answer of a request; undefined where the forge has nothing at that path. Throws `AdapterError`
   * `Unreachable`, `AuthenticationFailed`, `RateLimited`, `ForgeRefused`, `AnswerUnreadable`, `SecretUnreadable`.
   */
  async request(request: ForgeRequest): Promise<Json | undefined> {
    const [token = ''] = await loadSecrets(this.#access.tokenFile);
    const response = await this.#send(request, token);
    if (response.status === 404 && request.body === undefined) {
      await response.body?.cancel();
      return undefined;
    }
    const text = await readBounded(response);
    if (!response.ok) throw refusal(response, text);
    return parseAnswer(text);
  }

  async #send({ path, body }: ForgeRequest, token: string): Promise<Response> {
    try {
      return await fetch(`${this.#access.apiUrl}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        redirect: 'error',
        signal: AbortSignal.timeout(apiTimeoutMilliseconds),
        headers: {
          accept: 'application/json',
          'user-agent': 'plimsoll',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...this.#access.authorization(token),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch (error) {
      throw unreachable(error);
    }
  }
}

async function readBounded(response: Response): Promise<string> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  if (reader === undefined) return '';
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      bytes += next.value.byteLength;
      if (bytes > maximumAnswerBytes) throw unreadable(`it has more than ${maximumAnswerBytes} bytes`);
      parts.push(next.value);
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    throw error instanceof AdapterError ? error : unreachable(error);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseAnswer(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw unreadable('it is no JSON');
  }
}

/** Status and nothing of the text: an answer could repeat what it was sent. */
function refusal(response: Response, text: string): AdapterError {
  const { status } = response;
  return new AdapterError({
    code: codeOf(response),
    message: `the forge answered ${status}`,
    retryable: isLimited(response) || status >= 500 || status === 408 || status === 409,
    cause: isRepeatedState(status, text) ? 'StateRepeated' : undefined,
  });
}

function codeOf(response: Response): string {
  if (isLimited(response)) return 'RateLimited';
  return response.status === 401 || response.status === 403 ? 'AuthenticationFailed' : 'ForgeRefused';
}

/** GitHub's limits, both kinds, answer 403 or 429. */
function isLimited({ status, headers }: Response): boolean {
  if (status === 429) return true;
  return status === 403 && (headers.get('x-ratelimit-remaining') === '0' || headers.has('retry-after'));
}

/** GitLab refuses a status that is there already. */
function isRepeatedState(status: number, text: string): boolean {
  return status === 400 && text.includes('Cannot transition status');
}

function unreachable(error: unknown): AdapterError {
  const why = error instanceof Error ? error.name : 'unknown';
  return new AdapterError({
    code: 'Unreachable',
    message: `the forge did not answer (${why})`,
    retryable: true,
  });
}

function unreadable(why: string): AdapterError {
  return new AdapterError({
    code: 'AnswerUnreadable',
    message: `the forge's answer is not used: ${why}`,
    retryable: true,
  });
}
