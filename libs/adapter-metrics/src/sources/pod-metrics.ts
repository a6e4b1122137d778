import type { Labelled } from '#kernel';
import { object, objects, quantity, text } from '../read-json.ts';
import { goDurationSeconds } from './go-duration.ts';

/** One pod's usage at one moment. */
export interface PodUsage extends Labelled {
  readonly pod: string;
  readonly timestamp: string;
  readonly windowSeconds: number;
  readonly containers: readonly {
    readonly name: string;
    readonly usage: Readonly<Record<string, string | number>>;
  }[];
}

/** Reads a PodMetricsList (metrics.k8s.io/v1beta1); items without a name are left out, of two of one name the later counts. */
export function parsePodMetricsList(value: unknown): readonly PodUsage[] {
  const byName = new Map<string, PodUsage>();
  for (const item of objects(object(value)['items'])) {
    const metadata = object(item['metadata']);
    const pod = text(metadata['name']);
    if (pod === '') continue;
    byName.set(pod, {
      pod,
      labels: object(metadata['labels']) as Readonly<Record<string, string>>,
      timestamp: text(item['timestamp']),
      windowSeconds: goDurationSeconds(text(item['window'])),
      containers: objects(item['containers']).map((container) => ({
        name: text(container['name']),
        usage: usageOf(container['usage']),
      })),
    });
  }
  return [...byName.values()];
}

function usageOf(value: unknown): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    Object.entries(object(value)).map(([resource, usage]) => [resource, quantity(usage)]),
  );
}
