import { isJsonObject } from '#kernel';
import { items, object, quantity, text, time } from '../read-json.ts';

/** One item of a MetricValueList (custom.metrics.k8s.io) or ExternalMetricValueList (external.metrics.k8s.io). */
export interface MetricValue {
  /** The described object's name; empty for an external value. */
  readonly name: string;
  readonly timestamp: string;
  readonly windowSeconds: number | undefined;
  readonly value: string | number;
}

/** Reads one item; null for what is none. */
export function parseMetricValue(item: unknown): MetricValue | null {
  if (!isJsonObject(item)) return null;
  const window = item['windowSeconds'] ?? item['window'];
  return {
    name: text(object(item['describedObject'])['name']),
    timestamp: time(item['timestamp']),
    windowSeconds: typeof window === 'number' && window >= 0 ? window : undefined,
    value: quantity(item['value']),
  };
}

/** The items of a list that were read with `parseMetricValue`. @throws AdapterError `Partial` */
export function metricValuesOf(list: unknown): readonly MetricValue[] {
  return items(list) as readonly MetricValue[];
}
