import { AdapterError, withoutTrailing, withoutUndefined } from '#kernel';
import { prometheusSource } from '#reconciliation';
import type { SourceTiming } from '../guard/circuit-breaker.ts';
import { MetricSource, type SourceHealth } from '../guard/metric-source.ts';
import { sendBounded } from '../http/bounded-request.ts';
import { TlsDispatcher, type TlsOptions } from '../http/tls-dispatcher.ts';
import { readSmallFile } from '../http/tls-files.ts';
import { parseInstantQuery, type PrometheusValues } from './instant-query.ts';

/** A Prometheus server that policies may name. */
export interface PrometheusServer {
  readonly name: string;
  /** `http://prometheus.monitoring:9090`, with a path prefix where it has one. */
  readonly url: string;
  /** The authorities that are trusted, as PEM, in place of the system's. */
  readonly caFile?: string;
  /** The client's certificate, and its key. */
  readonly certFile?: string;
  readonly keyFile?: string;
  /** Read for each query, so that a rotation needs no restart. */
  readonly bearerTokenFile?: string;
  /** Default 10 s. */
  readonly timeoutMilliseconds?: number;
}

const defaultTimeoutMilliseconds = 10_000;
/** An instant vector of the series below. */
const maximumBytes = 4 * 1024 * 1024;
/** A policy wants one of a few; a server that knows the parameter says where it has left some out. */
const maximumSeries = 10_000;
/** Far beyond what a person writes. */
const maximumQueryLength = 16_384;
/** Prometheus answers a handful of instant queries at a time well, and hundreds badly. */
const maximumConnections = 8;

/** Asks one Prometheus server: no redirects, no link-local addresses (a cloud's metadata service). */
export class PrometheusClient {
  readonly #server: PrometheusServer;
  readonly #connections: TlsDispatcher;
  readonly #source: MetricSource;

  constructor(server: PrometheusServer, timing: SourceTiming) {
    this.#server = server;
    this.#connections = new TlsDispatcher({ tls: tlsOf(server), maximumConnections, now: timing.now });
    this.#source = new MetricSource({
      name: prometheusSource(server.name),
      maximumConcurrency: maximumConnections,
      timeoutMilliseconds: this.#timeoutMilliseconds,
      timing,
    });
  }

  get health(): SourceHealth {
    return this.#source.health;
  }

  /**
   * Evaluates an instant query now.
   *
   * @throws AdapterError `Timeout`, `Unreachable`, `Unavailable`, `Refused` (redirects too), `TooLarge`, `Malformed`,
   *   `LinkLocal`, `CircuitOpen`, `FileUnreadable`, `InvalidTls`
   */
  async query(query: string): Promise<PrometheusValues> {
    try {
      if (query.length > maximumQueryLength)
        throw failure('TooLarge', `a query of ${query.length} characters, of at most ${maximumQueryLength}`);
      return await this.#source.run((signal) => this.#ask(query, signal));
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      const { code, message, retryable } = error;
      throw new AdapterError({ code, message: `Prometheus ${this.#server.name}: ${message}`, retryable });
    }
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  get #timeoutMilliseconds(): number {
    return this.#server.timeoutMilliseconds ?? defaultTimeoutMilliseconds;
  }

  async #ask(query: string, signal: AbortSignal): Promise<PrometheusValues> {
    const { url, bearerTokenFile } = this.#server;
    const token = bearerTokenFile === undefined ? '' : await readToken(bearerTokenFile);
    const text = await sendBounded({
      url: new URL(`${withoutTrailing(url, '/')}/api/v1/query`),
      dispatcher: await this.#connections.dispatcher(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      },
      body: new URLSearchParams({
        query,
        timeout: `${this.#timeoutMilliseconds}ms`,
        limit: String(maximumSeries),
      }).toString(),
      signal,
      maximumBytes,
      shownCharacters: 300,
      secrets: [token],
    });
    return parseInstantQuery(text);
  }
}

function tlsOf({ caFile, certFile, keyFile }: PrometheusServer): TlsOptions {
  return withoutUndefined({ caFile, certFile, keyFile });
}

async function readToken(file: string): Promise<string> {
  const token = (await readSmallFile(file)).trim();
  if (/^[!-~]+$/.test(token)) return token;
  throw failure(
    'FileUnreadable',
    `${JSON.stringify(file)} holds no token: one line of visible ASCII characters`,
  );
}

function failure(code: string, message: string): AdapterError {
  return new AdapterError({ code, message, retryable: true });
}
