import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { type Dispatcher, request as send } from 'undici';
import { AdapterError, isJsonObject, redactCredentials } from '#kernel';
import { addressOf, isLinkLocal } from './link-local-address.ts';

/** A POST to a server outside the cluster's API. */
export interface BoundedRequest {
  readonly url: URL;
  readonly dispatcher: Dispatcher;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the request. */
  readonly signal: AbortSignal;
  /** A larger answer is an error. */
  readonly maximumBytes: number;
  /** How much of an error's body the message shows. */
  readonly shownCharacters: number;
  /** Texts that must stand in no error. */
  readonly secrets: readonly string[];
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends a request and reads the answer: redirects are not followed, and nothing is sent to a link-local address (a
 * cloud's metadata service).
 *
 * @throws AdapterError `Unreachable`, `TooLarge`, `LinkLocal`, `Unavailable` (429 and 503), `Refused` (any other status
 *   but 2xx); the signal's reason
 */
export async function sendBounded(request: BoundedRequest): Promise<string> {
  const { url, signal, secrets, shownCharacters } = request;
  try {
    refuseLinkLocal(url.hostname);
    const { status, text } = await readAnswer(request);
    if (status >= 200 && status < 300) return text;
    const code = status === 429 || status === 503 ? 'Unavailable' : 'Refused';
    const isRedirect = status >= 300 && status < 400;
    const shown = isRedirect
      ? 'redirects are not followed'
      : text.slice(0, shownCharacters).replace(/\s+/g, ' ').trim();
    throw failure(code, `status ${status}: ${redactCredentials(shown, secrets)}`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AdapterError) throw error;
    throw failure('Unreachable', `not reachable${causeOf(error)}`);
  }
}

async function readAnswer(request: BoundedRequest): Promise<Answer> {
  const { url, dispatcher, headers, signal, maximumBytes } = request;
  const options = { dispatcher, headers, signal, method: 'POST', body: request.body } as const;
  const { statusCode, body } = await send(url, options);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maximumBytes) throw failure('TooLarge', `an answer of more than ${maximumBytes} bytes`);
    chunks.push(chunk);
  }
  return { status: statusCode, text: Buffer.concat(chunks).toString('utf8') };
}

/** An address that stands in the URL itself is never looked up. */
function refuseLinkLocal(hostname: string): void {
  const address = addressOf(hostname);
  if (address !== undefined && isLinkLocal(address)) throw linkLocal(hostname);
}

/** Every address that a name resolves to is looked at, at the moment of connecting: a name cannot be swapped in between. */
export const lookupOutsideLinkLocal: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, options, (error, found, family) => {
    const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
    if (error === null && addresses.some(isLinkLocal)) callback(linkLocal(hostname), found, family);
    else callback(error, found, family);
  });
};

function linkLocal(hostname: string): AdapterError {
  return failure('LinkLocal', `${hostname} is a link-local address, which no metric source may have`);
}

/** ` (ECONNREFUSED)`, ` (CERT_HAS_EXPIRED)`: what a person looks up; the message may name addresses. */
function causeOf(error: unknown): string {
  const code = isJsonObject(error) ? error['code'] : undefined;
  return typeof code === 'string' ? ` (${code})` : '';
}

function failure(code: string, message: string): AdapterError {
  return new AdapterError({ code, message, retryable: code !== 'LinkLocal' });
}
