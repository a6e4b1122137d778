import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, request } from 'undici';
import { AdapterError, redactCredentials, withoutTrailing } from '#kernel';
import { parseInstantQuery, type PrometheusValues } from './instant-query.ts';
import { addressOf, isLinkLocal } from './link-local-address.ts';

/** A Prometheus server that policies may name. */
export interface PrometheusServer {
  readonly name: string;
  /** `http://prometheus.monitoring:9090`, with a path prefix where it has one. */
  readonly url: string;
}

const timeoutMilliseconds = 10_000;
const connectTimeoutMilliseconds = 5_000;
/** An instant vector of 100,000 series; a policy wants one of a few. */
const maximumBytes = 16 * 1024 * 1024;
/** Prometheus answers a handful of instant queries at a time well, and hundreds badly. */
const maximumConnections = 8;

/** Asks one Prometheus server: no redirects, no link-local addresses (a cloud's metadata service). */
export class PrometheusClient {
  readonly #server: PrometheusServer;
  readonly #agent: Agent;

  constructor(server: PrometheusServer) {
    this.#server = server;
    this.#agent = new Agent({
      allowH2: false,
      connections: maximumConnections,
      connect: { timeout: connectTimeoutMilliseconds, lookup: lookupOutsideLinkLocal },
    });
  }

  /**
   * Evaluates an instant query now.
   *
   * @throws AdapterError `Timeout`, `Unreachable`, `Refused` (any status but 2xx, redirects too), `TooLarge`,
   *   `Malformed`, `LinkLocal`.
   */
  async query(query: string): Promise<PrometheusValues> {
    const url = new URL(`${withoutTrailing(this.#server.url, '/')}/api/v1/query`);
    try {
      refuseLinkLocal(url.hostname);
      return parseInstantQuery(await this.#post(url, query));
    } catch (error) {
      throw this.#failure(error);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #post(url: URL, query: string): Promise<string> {
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    const { statusCode, body } = await request(url, {
      dispatcher: this.#agent,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams({ query, timeout: `${timeoutMilliseconds}ms` }).toString(),
      signal,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maximumBytes) throw failure('TooLarge', `an answer of more than ${maximumBytes} bytes`);
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks).toString('utf8');
    if (statusCode < 300) return text;
    throw failure('Refused', `status ${statusCode}: ${redactCredentials(text.slice(0, 300))}`);
  }

  #failure(error: unknown): AdapterError {
    const { name } = this.#server;
    if (error instanceof AdapterError) {
      const { code, message, retryable } = error;
      return new AdapterError({ code, message: `Prometheus ${name}: ${message}`, retryable });
    }
    const isTimeout = error instanceof Error && error.name === 'TimeoutError';
    const message = isTimeout ? `no answer within ${timeoutMilliseconds} ms` : 'not reachable';
    const code = isTimeout ? 'Timeout' : 'Unreachable';
    return new AdapterError({ code, message: `Prometheus ${name}: ${message}`, retryable: true });
  }
}

/** An address that stands in the URL itself is never looked up. */
function refuseLinkLocal(hostname: string): void {
  const address = addressOf(hostname);
  if (address !== undefined && isLinkLocal(address)) throw linkLocal(hostname);
}

/** Every address that the name resolves to is looked at, at the moment of connecting: a name cannot be swapped in between. */
const lookupOutsideLinkLocal: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, options, (error, found, family) => {
    const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
    if (error === null && addresses.some(isLinkLocal)) callback(linkLocal(hostname), found, family);
    else callback(error, found, family);
  });
};

function linkLocal(hostname: string): AdapterError {
  return failure('LinkLocal', `${hostname} is a link-local address, which no metric source may have`);
}

function failure(code: string, message: string): AdapterError {
  return new AdapterError({ code, message, retryable: code !== 'LinkLocal' });
}
