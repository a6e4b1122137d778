import type { ObservedMetric } from '#decision';
import type { MetricSpec } from '#policy';
import {
  aggregatedSources,
  type MetricsPort,
  type MetricsQuery,
  type MetricsTick,
  type NamespaceMetrics,
  type RecommendersPort,
} from '#reconciliation';
import { type MetricsApi, type ResourceName, sourceTimeoutMilliseconds } from './api/metrics-api.ts';
import { SharedCalls } from './api/shared-calls.ts';
import { fetchMetric, presentUsage, type TickSources } from './fetch-metric.ts';
import type { SourceTiming } from './guard/circuit-breaker.ts';
import { guardedApi } from './guard/guarded-api.ts';
import { MetricSource, type SourceHealth } from './guard/metric-source.ts';
import { PrometheusClient, type PrometheusServer } from './prometheus/prometheus-client.ts';
import { Recommenders, type RecommendersOptions } from './recommender/recommenders.ts';
import { CustomMetrics } from './sources/custom-metrics.ts';
import { ExternalMetrics } from './sources/external-metrics.ts';
import { commonResource, type UsageSpec } from './sources/pod-samples.ts';
import { LoopTurns, ResourceMetrics } from './sources/resource-metrics.ts';

/** What the adapter is made from: every source has a client of its own. */
export interface MetricsOptions {
  readonly resourceApi: MetricsApi;
  readonly customApi: MetricsApi;
  readonly externalApi: MetricsApi;
  /** Through discovery, for metrics that describe an object. @throws AdapterError where no such kind is served */
  readonly resourceNameOf: (apiVersion: string, kind: string) => Promise<ResourceName>;
  /** Those that policies may name. */
  readonly prometheusServers: readonly PrometheusServer[];
  readonly recommenders: Omit<RecommendersOptions, 'timing'>;
  /** The machine's own by default. */
  readonly timing?: SourceTiming;
}

/** The sources that a configuration names. */
export type ConfigurableSources = Pick<MetricsOptions, 'prometheusServers' | 'recommenders'>;

/** Requests at a time to each metrics API: enough for a tick, few enough for a provider that is one process. */
const maximumConcurrency = 8;

/** The sources, as the ports of reconciliation see them. */
export interface Metrics extends MetricsPort {
  readonly recommenders: RecommendersPort;
  /** Of every source, for `/metrics`. */
  readonly sources: () => readonly SourceHealth[];
  /** Asks other servers and recommenders from the next tick on; those that are as before keep their state. */
  readonly reconfigure: (options: ConfigurableSources) => void;
  readonly close: () => Promise<void>;
}

const systemTiming: SourceTiming = { now: () => performance.now(), random: () => Math.random() };

/** Opens the metric sources; nothing is asked before the first query of a tick. */
export function openMetrics(options: MetricsOptions): Metrics {
  const { timing = systemTiming } = options;
  const configured = new ConfiguredSources(options, timing);
  const apis = guardApis(options, timing);
  return {
    openTick: () => new Tick({ ...options, ...apis.guarded }, configured.prometheus),
    recommenders: configured,
    sources: () => [...apis.sources.map(({ health }) => health), ...configured.health],
    reconfigure: (changed) => configured.reconfigure(changed),
    close: () => configured.close(),
  };
}

/** What asks a source that is configured no more still has to end by then: a pass takes 10 minutes at most. */
const lastUseMilliseconds = 11 * 60_000;

/** The Prometheus servers and recommenders of the configuration. */
class ConfiguredSources implements RecommendersPort {
  readonly #timing: SourceTiming;
  readonly #retired = new Map<{ readonly close: () => Promise<void> }, NodeJS.Timeout>();
  #options: ConfigurableSources;
  #prometheus: ReadonlyMap<string, PrometheusClient>;
  #recommenders: Recommenders;

  constructor(options: ConfigurableSources, timing: SourceTiming) {
    this.#options = options;
    this.#timing = timing;
    this.#prometheus = new Map(
      options.prometheusServers.map((server) => [server.name, new PrometheusClient(server, timing)]),
    );
    this.#recommenders = new Recommenders({ ...options.recommenders, timing });
  }

  get prometheus(): ReadonlyMap<string, PrometheusClient> {
    return this.#prometheus;
  }

  get health(): readonly SourceHealth[] {
    const servers = [...this.#prometheus.values()].map(({ health }) => health);
    return [...servers, ...this.#recommenders.health];
  }

  recommend(...asked: Parameters<RecommendersPort['recommend']>): ReturnType<RecommendersPort['recommend']> {
    return this.#recommenders.recommend(...asked);
  }

  reconfigure(options: ConfigurableSources): void {
    const before = new Map(
      this.#options.prometheusServers.map((server) => [server.name, JSON.stringify(server)]),
    );
    const clients = new Map(
      options.prometheusServers.map((server) => {
        const known = this.#prometheus.get(server.name);
        const isSame = known !== undefined && before.get(server.name) === JSON.stringify(server);
        return [server.name, isSame ? known : new PrometheusClient(server, this.#timing)];
      }),
    );
    for (const [name, client] of this.#prometheus) if (clients.get(name) !== client) this.#retire(client);
    this.#prometheus = clients;
    if (JSON.stringify(options.recommenders) !== JSON.stringify(this.#options.recommenders)) {
      this.#retire(this.#recommenders);
      this.#recommenders = new Recommenders({ ...options.recommenders, timing: this.#timing });
    }
    this.#options = options;
  }

  async close(): Promise<void> {
    for (const timer of this.#retired.values()) clearTimeout(timer);
    const open = [...this.#prometheus.values(), this.#recommenders, ...this.#retired.keys()];
    await Promise.all(open.map((client) => client.close()));
  }

  /** Passes under way may still ask it. */
  #retire(client: { readonly close: () => Promise<void> }): void {
    const end = (): void => {
      this.#retired.delete(client);
      void client.close();
    };
    this.#retired.set(client, setTimeout(end, lastUseMilliseconds).unref());
  }
}

type Apis = Pick<MetricsOptions, 'resourceApi' | 'customApi' | 'externalApi'>;

/** Each aggregated API is a source of its own: another provider stands behind it. */
function guardApis(
  { resourceApi, customApi, externalApi }: Apis,
  timing: SourceTiming,
): { readonly guarded: Apis; readonly sources: readonly MetricSource[] } {
  const open = (name: string): MetricSource =>
    new MetricSource({ name, maximumConcurrency, timeoutMilliseconds: sourceTimeoutMilliseconds, timing });
  const resource = open(aggregatedSources.resource);
  const custom = open(aggregatedSources.custom);
  const external = open(aggregatedSources.external);
  return {
    guarded: {
      resourceApi: guardedApi(resourceApi, resource),
      customApi: guardedApi(customApi, custom),
      externalApi: guardedApi(externalApi, external),
    },
    sources: [resource, custom, external],
  };
}

class Tick implements MetricsTick {
  readonly #options: MetricsOptions;
  /** Those to Prometheus: its queries know no namespace. */
  readonly #shared: Pick<TickSources, 'calls' | 'prometheus'>;

  readonly #turns = new LoopTurns();

  constructor(options: MetricsOptions, prometheus: ReadonlyMap<string, PrometheusClient>) {
    this.#options = options;
    this.#shared = { calls: new SharedCalls(), prometheus };
  }

  openNamespace(): NamespaceMetrics {
    const calls = new SharedCalls();
    const { resourceApi, customApi, externalApi, resourceNameOf } = this.#options;
    return new NamespaceTick({
      ...this.#shared,
      resource: new ResourceMetrics(resourceApi, calls, this.#turns),
      custom: new CustomMetrics({ api: customApi, calls, resourceNameOf }),
      external: new ExternalMetrics(externalApi, calls),
    });
  }
}

class NamespaceTick implements NamespaceMetrics {
  readonly #sources: TickSources;

  constructor(sources: TickSources) {
    this.#sources = sources;
  }

  async prepare(policies: readonly Pick<MetricsQuery, 'namespace' | 'metrics'>[]): Promise<void> {
    const asking = policies.filter(({ metrics }) => metrics.some(isUsage));
    const [first, second] = asking;
    if (first === undefined || second === undefined) return;
    const wanted = commonResource(asking.flatMap(({ metrics }) => metrics.filter(isUsage)));
    await this.#sources.resource.prepare(first.namespace, wanted);
  }

  presentMetrics(query: MetricsQuery): readonly ObservedMetric[] | undefined {
    const present: ObservedMetric[] = [];
    for (const metric of query.metrics) {
      const observed = isUsage(metric) ? presentUsage(this.#sources.resource, query, metric) : undefined;
      if (observed === undefined) return undefined;
      present.push(observed);
    }
    return present;
  }

  async fetchMetrics(query: MetricsQuery, signal: AbortSignal): Promise<readonly ObservedMetric[]> {
    signal.throwIfAborted();
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const all = Promise.all(query.metrics.map((metric) => fetchMetric(this.#sources, query, metric)));
      return await Promise.race([all, aborted]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}

function isUsage(metric: MetricSpec): metric is UsageSpec {
  return metric.type === 'Resource' || metric.type === 'ContainerResource';
}
