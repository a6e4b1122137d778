import { labelSelectorText } from '#kernel';
import type { DescribedObject, MetricIdentifier } from '#policy';
import {
  maximumValuesBytes,
  type MetricsApi,
  type ResourceName,
  sourceTimeoutMilliseconds,
} from '../api/metrics-api.ts';
import type { SharedCalls } from '../api/shared-calls.ts';
import {
  isOfNamespace,
  isTimed,
  type MetricValue,
  metricValuesOf,
  parseMetricValue,
} from './metric-values.ts';

/** What asks custom.metrics.k8s.io. */
export interface CustomMetricsOptions {
  readonly api: MetricsApi;
  readonly calls: SharedCalls;
  /** @throws AdapterError where no such kind is served. */
  readonly resourceNameOf: (apiVersion: string, kind: string) => Promise<ResourceName>;
}

/** A metric of all pods of a selector. */
export interface PodsMetricQuery {
  readonly namespace: string;
  readonly selector: string;
  readonly metric: MetricIdentifier;
}

/** A metric of one object. */
export interface ObjectMetricQuery {
  readonly namespace: string;
  readonly describedObject: DescribedObject;
  readonly metric: MetricIdentifier;
}

const root = '/apis/custom.metrics.k8s.io/v1beta2/namespaces';

/** Asks custom.metrics.k8s.io, each metric once per tick. */
export class CustomMetrics {
  readonly #options: CustomMetricsOptions;

  constructor(options: CustomMetricsOptions) {
    this.#options = options;
  }

  /**
   * One value per pod, in the server's order. A pod whose value is of another namespace, or has a time that is none, has
   * none.
   *
   * @throws AdapterError
   */
  async podValues({ namespace, selector, metric }: PodsMetricQuery): Promise<readonly MetricValue[]> {
    const path = `${root}/${encodeURIComponent(namespace)}/pods/*/${encodeURIComponent(metric.name)}`;
    const query = { labelSelector: selector, metricLabelSelector: selectorOf(metric) };
    const values = await this.#list(path, query);
    return values.filter((value) => isTimed(value) && isOfNamespace(value, namespace));
  }

  /**
   * The value of one object; undefined where the server has none. A core `Namespace` is asked as the policy's own
   * namespace, whatever its name, as upstream.
   *
   * @throws AdapterError
   */
  async objectValue(query: ObjectMetricQuery): Promise<MetricValue | undefined> {
    const path = `${root}/${encodeURIComponent(query.namespace)}/${await this.#objectPath(query)}`;
    const values = await this.#list(path, { metricLabelSelector: selectorOf(query.metric) });
    return values[0];
  }

  async #objectPath({ describedObject, metric }: ObjectMetricQuery): Promise<string> {
    const { apiVersion = 'v1', kind, name } = describedObject;
    const metricName = encodeURIComponent(metric.name);
    if (kind === 'Namespace' && !apiVersion.includes('/')) return `metrics/${metricName}`;
    const { resource, group } = await this.#options.resourceNameOf(apiVersion, kind);
    const qualified = group === '' ? resource : `${resource}.${group}`;
    return `${encodeURIComponent(qualified)}/${encodeURIComponent(name)}/${metricName}`;
  }

  #list(path: string, query: Readonly<Record<string, string | undefined>>): Promise<readonly MetricValue[]> {
    return this.#options.calls.once(`custom/${path}?${JSON.stringify(query)}`, async () =>
      metricValuesOf(
        await this.#options.api.json({
          path,
          query,
          timeoutMilliseconds: sourceTimeoutMilliseconds,
          maximumBytes: maximumValuesBytes,
          mapItem: parseMetricValue,
        }),
      ),
    );
  }
}

/** The metric's own selector as text; undefined without one, which asks for every series. */
export function selectorOf({ selector }: MetricIdentifier): string | undefined {
  const text = selector === undefined ? '' : labelSelectorText(selector);
  return text === '' ? undefined : text;
}
