export type { MetricsApi, MetricsRequest, ResourceName } from './api/metrics-api.ts';
export type { BreakerState, SourceTiming } from './guard/circuit-breaker.ts';
export type { SourceHealth } from './guard/metric-source.ts';
export { type Metrics, type MetricsOptions, openMetrics } from './metrics.ts';
export type { PrometheusServer } from './prometheus/prometheus-client.ts';
