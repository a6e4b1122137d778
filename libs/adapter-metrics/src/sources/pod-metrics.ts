import type { JsonObject, Labelled } from '#kernel';
import { items, object, objects, text, time } from '../read-json.ts';
import { goDurationSeconds } from './go-duration-seconds.ts';

/** One pod's usage at one moment. */
export interface PodUsage extends Labelled {
  readonly pod: string;
  readonly timestamp: string;
  readonly windowSeconds: number;
  /** As sent (`{name, usage}`): read for the one resource that a metric asks for. */
  readonly containers: readonly JsonObject[];
}

/** Reads a PodMetricsList (metrics.k8s.io/v1beta1); items without a name are left out, of two of one name the later counts. */
export function parsePodMetricsList(value: unknown): readonly PodUsage[] {
  const byName = new Map<string, PodUsage>();
  // A server writes a handful of different windows into thousands of samples.
  const windows = new Map<string, number>();
  for (const item of items(value)) {
    const metadata = object(item['metadata']);
    const pod = text(metadata['name']);
    if (pod === '') continue;
    const window = time(item['window']);
    const windowSeconds = windows.get(window) ?? goDurationSeconds(window);
    windows.set(window, windowSeconds);
    byName.set(pod, {
      pod,
      labels: object(metadata['labels']) as Readonly<Record<string, string>>,
      timestamp: time(item['timestamp']),
      windowSeconds,
      containers: objects(item['containers']),
    });
  }
  return [...byName.values()];
}
