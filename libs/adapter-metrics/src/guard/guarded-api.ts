import type { MetricsApi, MetricsRequest } from '../api/metrics-api.ts';
import type { MetricSource } from './metric-source.ts';

/** An aggregated metrics API behind its source's guard. */
export function guardedApi(api: MetricsApi, source: MetricSource): MetricsApi {
  return { json: (request: MetricsRequest) => source.run((signal) => api.json({ ...request, signal })) };
}
