import { isJsonObject, parseInstant } from '#kernel';
import { items, object, quantity, text, time } from '../api/read-json.ts';

/** One item of a MetricValueList (custom.metrics.k8s.io) or ExternalMetricValueList (external.metrics.k8s.io). */
export interface MetricValue {
  /** The described object's name; empty for an external value. */
  readonly name: string;
  /** The described object's; empty for an external value. */
  readonly namespace: string;
  readonly timestamp: string;
  readonly windowSeconds: number | undefined;
  readonly value: string | number;
}

/** Reads one item; null for what is none. */
export function parseMetricValue(item: unknown): MetricValue | null {
  if (!isJsonObject(item)) return null;
  const window = item['windowSeconds'] ?? item['window'];
  const describedObject = object(item['describedObject']);
  return {
    name: text(describedObject['name']),
    namespace: text(describedObject['namespace']),
    timestamp: time(item['timestamp']),
    windowSeconds: typeof window === 'number' && window >= 0 ? window : undefined,
    value: quantity(item['value']),
  };
}

/** The same of a value that is added to others: left out, what is none would lower the sum, so it stays as no quantity. */
export function parseAddend(item: unknown): MetricValue {
  return parseMetricValue(item) ?? unreadable;
}

const unreadable: MetricValue = {
  name: '',
  namespace: '',
  timestamp: '',
  windowSeconds: undefined,
  value: '',
};

/** Whether a sample's time is one, or is left out. One that does not parse would count as taken now, for ever. */
export function isTimed({ timestamp }: { readonly timestamp: string }): boolean {
  return timestamp === '' || parseInstant(timestamp) !== undefined;
}

/** Whether a sample is of an object of the namespace, as far as it says. */
export function isOfNamespace(sample: { readonly namespace: string }, namespace: string): boolean {
  return sample.namespace === '' || sample.namespace === namespace;
}

/** The items of a list that were read with `parseMetricValue`. @throws AdapterError `Partial` */
export function metricValuesOf(list: unknown): readonly MetricValue[] {
  return items(list) as readonly MetricValue[];
}
