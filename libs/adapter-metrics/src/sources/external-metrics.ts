import type { MetricIdentifier } from '#policy';
import { maximumValuesBytes, type MetricsApi, sourceTimeoutMilliseconds } from '../api/metrics-api.ts';
import type { SharedCalls } from '../api/shared-calls.ts';
import { selectorOf } from './custom-metrics.ts';
import { type MetricValue, metricValuesOf, parseAddend } from './metric-values.ts';

const root = '/apis/external.metrics.k8s.io/v1beta1/namespaces';

/** Asks external.metrics.k8s.io, each metric and selector of a namespace once per tick. */
export class ExternalMetrics {
  readonly #api: MetricsApi;
  readonly #calls: SharedCalls;

  constructor(api: MetricsApi, calls: SharedCalls) {
    this.#api = api;
    this.#calls = calls;
  }

  /** The values in the server's order, in which they are added. @throws AdapterError */
  valuesOf(namespace: string, metric: MetricIdentifier): Promise<readonly MetricValue[]> {
    const path = `${root}/${encodeURIComponent(namespace)}/${encodeURIComponent(metric.name)}`;
    const labelSelector = selectorOf(metric);
    return this.#calls.once(`external/${path}?${labelSelector ?? ''}`, async () =>
      metricValuesOf(
        await this.#api.json({
          path,
          query: { labelSelector },
          timeoutMilliseconds: sourceTimeoutMilliseconds,
          maximumBytes: maximumValuesBytes,
          mapItem: parseAddend,
        }),
      ),
    );
  }
}
