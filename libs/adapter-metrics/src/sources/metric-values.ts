import { items, object, quantity, text, time } from '../read-json.ts';

/** One item of a MetricValueList (custom.metrics.k8s.io) or ExternalMetricValueList (external.metrics.k8s.io). */
export interface MetricValue {
  /** The described object's name; empty for an external value. */
  readonly name: string;
  readonly timestamp: string;
  readonly windowSeconds: number | undefined;
  readonly value: string | number;
}

/** Reads the items of a list of values. */
export function parseMetricValues(value: unknown): readonly MetricValue[] {
  return items(value).map((item) => {
    const window = item['windowSeconds'] ?? item['window'];
    return {
      name: text(object(item['describedObject'])['name']),
      timestamp: time(item['timestamp']),
      windowSeconds: typeof window === 'number' && window >= 0 ? window : undefined,
      value: quantity(item['value']),
    };
  });
}
