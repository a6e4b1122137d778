import type { ContainerSample, ObservedMetric } from '#decision';
import type { Labelled } from '#kernel';
import type { MetricSpec } from '#policy';
import { object, quantity, text } from '../api/read-json.ts';
import { type PodItem, podMetricsParser, type PodUsage } from './pod-metrics.ts';

/** A metric of pods' usage. */
export type UsageSpec = Extract<MetricSpec, { readonly type: 'Resource' | 'ContainerResource' }>;

/** A pod's sample as an observation has it. */
export type ObservedPodSample = NonNullable<ObservedMetric['pods']>[number];

/** A pod's sample of one resource, with what selectors find it by. */
export interface PodSampleItem extends PodItem {
  readonly sample: ObservedPodSample;
}

/** Samples of pods that have the same labels. */
export interface SampleGroup extends Labelled {
  readonly samples: readonly ObservedPodSample[];
}

/** Only what the metric reads, since every decision stores it. A container that lacks the resource stays, without usage. */
export function slimUsage(
  { pod, timestamp, windowSeconds, containers: all }: PodUsage,
  metric: Pick<UsageSpec, 'type' | 'resource'> & { readonly container?: string },
): ObservedPodSample {
  const { resource } = metric;
  const read = metric.type === 'Resource' ? all : all.filter(({ name }) => text(name) === metric.container);
  const containers = read.map((container): ContainerSample => {
    const value = object(container['usage'])[resource];
    const used = value === undefined ? {} : { [resource]: quantity(value) };
    return { name: text(container['name']), usage: used };
  });
  return timestamp === ''
    ? { pod, windowSeconds, containers }
    : { pod, windowSeconds, containers, timestamp };
}

/**
 * Reads the items of a list as `podMetricsParser` does, for those who all want this resource of every container: what
 * becomes of an item is all that is made of it, however many passes read it.
 */
export function podSampleParser(
  namespace: string,
  resource: string,
): (item: unknown) => PodSampleItem | null {
  const parse = podMetricsParser(namespace);
  const metric = { type: 'Resource', resource } as const;
  return (item) => {
    const usage = parse(item);
    return usage === null ? null : { pod: usage.pod, labels: usage.labels, sample: slimUsage(usage, metric) };
  };
}

/** The resource that all of these metrics want of every container; null: they want several, or of one container. */
export function commonResource(metrics: readonly UsageSpec[]): string | null {
  const [first] = metrics;
  if (first === undefined) return null;
  const isCommon = metrics.every(({ type, resource }) => type === 'Resource' && resource === first.resource);
  return isCommon ? first.resource : null;
}
