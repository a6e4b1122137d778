import { type JsonObject, type Labelled, shareParts } from '#kernel';
import { items, object, objects, text, time } from '../api/read-json.ts';
import { goDurationSeconds } from './go-duration-seconds.ts';
import { isOfNamespace, isTimed } from './metric-values.ts';

/** What was read of one pod. */
export interface PodItem extends Labelled {
  readonly pod: string;
}

/** One pod's usage at one moment. */
export interface PodUsage extends PodItem {
  readonly timestamp: string;
  readonly windowSeconds: number;
  /** As sent (`{name, usage}`): read for the one resource that a metric asks for. */
  readonly containers: readonly JsonObject[];
}

/**
 * Reads the items of one PodMetricsList (metrics.k8s.io/v1beta1) of a namespace; null for one without a name, of another
 * namespace, or with a time that is none: its pod has no sample then.
 */
export function podMetricsParser(namespace: string): (item: unknown) => PodUsage | null {
  // A server writes a handful of different windows and times into thousands of samples.
  let last = { window: '', seconds: goDurationSeconds('') };
  let lastTime = '';
  // Pods of one template stand together in the order of names, and have the same labels.
  let labels: JsonObject = {};
  return (item) => {
    const fields = object(item);
    const metadata = object(fields['metadata']);
    const pod = text(metadata['name']);
    const timestamp = time(fields['timestamp']);
    const isOwn = isOfNamespace({ namespace: text(metadata['namespace']) }, namespace);
    if (pod === '' || !isOwn) return null;
    if (timestamp !== lastTime) {
      if (!isTimed({ timestamp })) return null;
      lastTime = timestamp;
    }
    const window = time(fields['window']);
    if (window !== last.window) last = { window, seconds: goDurationSeconds(window) };
    labels = shareParts(labels, object(metadata['labels']));
    return {
      pod,
      labels: labels as Readonly<Record<string, string>>,
      // One text for all that have this time.
      timestamp: lastTime,
      windowSeconds: last.seconds,
      containers: objects(fields['containers']),
    };
  };
}

/** The items of a list as its parser read them, such as `podMetricsParser`; of two of one name the later counts. @throws AdapterError `Partial` */
export function podUsagesOf(list: unknown): readonly PodItem[] {
  const usages = items(list) as readonly PodItem[];
  // A server that lists in the order of names, as most do, lists none twice.
  if (usages.every(({ pod }, index) => index === 0 || (usages[index - 1]?.pod ?? '') < pod)) return usages;
  const byPod = new Map<string, PodItem>();
  for (const usage of usages) byPod.set(usage.pod, usage);
  return byPod.size === usages.length ? usages : [...byPod.values()];
}

/** Samples of pods that have the same labels, as those of one template do. */
export interface UsageGroup<T extends PodItem = PodUsage> extends Labelled {
  readonly usages: readonly T[];
}

/** Samples that stand side by side and share their labels, together: a tenth of the objects to be found by a selector. */
export function groupUsages<T extends PodItem>(usages: readonly T[]): readonly UsageGroup<T>[] {
  const groups: (UsageGroup<T> & { readonly usages: T[] })[] = [];
  for (const usage of usages) {
    const group = groups.at(-1);
    if (group !== undefined && group.labels === usage.labels) group.usages.push(usage);
    else groups.push({ labels: usage.labels, usages: [usage] });
  }
  return groups;
}
