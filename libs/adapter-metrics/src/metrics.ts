import type { ObservedMetric } from '#decision';
import type { MetricsPort, MetricsQuery, MetricsTick } from '#reconciliation';
import { fetchMetric, type TickSources } from './fetch-metric.ts';
import type { MetricsApi, ResourceName } from './metrics-api.ts';
import { PrometheusClient, type PrometheusServer } from './prometheus/prometheus-client.ts';
import { SharedCalls } from './shared-calls.ts';
import { CustomMetrics } from './sources/custom-metrics.ts';
import { ExternalMetrics } from './sources/external-metrics.ts';
import { ResourceMetrics } from './sources/resource-metrics.ts';

/** What the adapter is made from: every source has a client of its own. */
export interface MetricsOptions {
  readonly resourceApi: MetricsApi;
  readonly customApi: MetricsApi;
  readonly externalApi: MetricsApi;
  /** Through discovery, for metrics that describe an object. @throws AdapterError where no such kind is served */
  readonly resourceNameOf: (apiVersion: string, kind: string) => Promise<ResourceName>;
  /** Those that policies may name. */
  readonly prometheusServers: readonly PrometheusServer[];
}

/** The metrics port with an end. */
export interface Metrics extends MetricsPort {
  readonly close: () => Promise<void>;
}

/** Opens the metric sources; nothing is asked before the first query of a tick. */
export function openMetrics(options: MetricsOptions): Metrics {
  const prometheus = new Map(
    options.prometheusServers.map((server) => [server.name, new PrometheusClient(server)]),
  );
  return {
    openTick: () => new Tick(options, prometheus),
    close: async () => {
      await Promise.all([...prometheus.values()].map((client) => client.close()));
    },
  };
}

class Tick implements MetricsTick {
  readonly #sources: TickSources;

  constructor(options: MetricsOptions, prometheus: ReadonlyMap<string, PrometheusClient>) {
    const calls = new SharedCalls();
    const { resourceApi, customApi, externalApi, resourceNameOf } = options;
    this.#sources = {
      calls,
      resource: new ResourceMetrics(resourceApi, calls),
      custom: new CustomMetrics({ api: customApi, calls, resourceNameOf }),
      external: new ExternalMetrics(externalApi, calls),
      prometheus,
    };
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
