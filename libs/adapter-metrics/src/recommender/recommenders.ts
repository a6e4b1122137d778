import type { ObservedRecommendation } from '#decision';
import { AdapterError, messageOf } from '#kernel';
import type { RecommenderTls } from '#policy';
import {
  type RecommendationQuery,
  type RecommendationReading,
  recommenderHost,
  recommenderSource,
  type RecommendersPort,
} from '#reconciliation';
import type { SourceTiming } from '../guard/circuit-breaker.ts';
import { MetricSource, type SourceHealth } from '../guard/metric-source.ts';
import { sendBounded } from '../http/bounded-request.ts';
import { TlsDispatcher, type TlsOptions } from '../http/tls-dispatcher.ts';
import { resolveBelow } from '../http/tls-files.ts';
import { parseRecommendation } from './parse-recommendation.ts';
import { recommendationRequest } from './recommendation-request.ts';

/** What of the configuration concerns recommenders. */
export interface RecommendersOptions {
  /** The cluster's name, which each request carries. */
  readonly cluster: string;
  /** `host` or `host:port` of those that policies may name. */
  readonly hosts: readonly string[];
  /** Below it lie the files that policies' `tlsConfig` may name; absent: none may. */
  readonly tlsFolder?: string;
  readonly timing: SourceTiming;
}

const timeoutMilliseconds = 10_000;
/** A recommendation is a few hundred bytes. */
const maximumBytes = 64 * 1024;
const maximumConcurrency = 16;
/** Hosts times TLS settings; beyond it the one that was used first is made anew. */
const maximumDispatchers = 200;
const secureVersions = { TLS10: 'TLSv1', TLS11: 'TLSv1.1', TLS12: 'TLSv1.2', TLS13: 'TLSv1.3' } as const;

/** Recommenders over HTTP: a source per host, connections per host and TLS settings. */
export class Recommenders implements RecommendersPort {
  readonly #options: RecommendersOptions;
  readonly #sources: ReadonlyMap<string, MetricSource>;
  readonly #connections = new Map<string, TlsDispatcher>();

  constructor(options: RecommendersOptions) {
    this.#options = options;
    const { timing } = options;
    this.#sources = new Map(
      options.hosts.map((host) => {
        const name = recommenderSource(host);
        return [host, new MetricSource({ name, maximumConcurrency, timeoutMilliseconds, timing })];
      }),
    );
  }

  get health(): readonly SourceHealth[] {
    return [...this.#sources.values()].map(({ health }) => health);
  }

  async recommend(query: RecommendationQuery, signal: AbortSignal): Promise<RecommendationReading> {
    const host = recommenderHost(query.recommender.url);
    try {
      const source = this.#sources.get(host);
      if (source === undefined) return failed(`${host} is no recommender of the configuration`);
      return await source.run((either) => this.#ask(query, either), signal);
    } catch (error) {
      signal.throwIfAborted();
      return failed(`recommender ${host}: ${messageOf(error)}`);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((connections) => connections.close()));
  }

  async #ask(query: RecommendationQuery, signal: AbortSignal): Promise<ObservedRecommendation> {
    const { url, tls = {} } = query.recommender;
    const connections = await this.#connectionsOf(recommenderHost(url), tls);
    const body = await sendBounded({
      url: new URL(url),
      dispatcher: await connections.dispatcher(),
      headers: { 'content-type': 'application/json', accept: 'application/json', 'user-agent': userAgent },
      body: JSON.stringify(recommendationRequest(query, this.#options.cluster)),
      signal,
      maximumBytes,
      shownCharacters: 100,
      secrets: [],
    });
    return parseRecommendation(body);
  }

  async #connectionsOf(host: string, tls: RecommenderTls): Promise<TlsDispatcher> {
    const options = await this.#tlsOptions(tls);
    const key = JSON.stringify([host, options]);
    const known = this.#connections.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.#connections;
    if (oldest !== undefined && this.#connections.size >= maximumDispatchers) {
      this.#connections.delete(oldest[0]);
      void oldest[1].close();
    }
    const { now } = this.#options.timing;
    const made = new TlsDispatcher({ tls: options, maximumConnections: maximumConcurrency, now });
    this.#connections.set(key, made);
    return made;
  }

  async #tlsOptions(tls: RecommenderTls): Promise<TlsOptions> {
    const { serverName, insecureSkipVerify, minVersion, maxVersion } = tls;
    return {
      ...(await this.#tlsFiles(tls)),
      ...(serverName === undefined ? {} : { serverName }),
      ...(insecureSkipVerify === undefined ? {} : { insecureSkipVerify }),
      ...(minVersion === undefined ? {} : { minVersion: secureVersionOf(minVersion) }),
      ...(maxVersion === undefined ? {} : { maxVersion: secureVersionOf(maxVersion) }),
    };
  }

  /** Looked up for each request: a link below the folder may lead elsewhere by now. */
  async #tlsFiles(tls: RecommenderTls): Promise<Pick<TlsOptions, TlsFile>> {
    const { tlsFolder } = this.#options;
    const files: { [K in TlsFile]?: string } = {};
    for (const name of ['caFile', 'certFile', 'keyFile'] as const) {
      const file = tls[name];
      if (file === undefined) continue;
      if (tlsFolder === undefined) {
        const message = `tlsConfig names ${name}, and no recommenderTlsFolder is configured`;
        throw new AdapterError({ code: 'FileUnreadable', message, retryable: false });
      }
      files[name] = await resolveBelow(tlsFolder, file);
    }
    return files;
  }
}

type TlsFile = 'caFile' | 'certFile' | 'keyFile';

/** The original's, which recommenders may look for. */
const userAgent = 'wpa-controller';

/** @throws AdapterError `InvalidTls` for a version that validation does not know */
function secureVersionOf(version: string): TlsOptions['minVersion'] & string {
  if (version in secureVersions) return secureVersions[version as keyof typeof secureVersions];
  throw new AdapterError({ code: 'InvalidTls', message: `${version} is no TLS version`, retryable: false });
}

function failed(message: string): RecommendationReading {
  return { error: { reason: 'FailedGetResourceMetric', message } };
}
