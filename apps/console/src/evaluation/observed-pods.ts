import { isJsonObject, type Json, type JsonObject } from '#kernel';
import type { EffectivePolicy, MetricSpec } from '#policy';
import { pointerTo, valueAt } from './json-pointer.ts';

/** A pod of an observation, with what can be changed of it. */
export interface ObservedPodRow {
  readonly name: string;
  /** Undefined: it has no such condition. */
  readonly ready: ObservedReadiness | undefined;
  readonly usages: readonly PodUsage[];
}

/** The Ready condition, and the one that it would have in the other state. */
export interface ObservedReadiness {
  readonly pointer: string;
  readonly isReady: boolean;
  readonly recorded: Json;
  /**
   * Since the pod started: one that was ready and is not any more counts as ready, as upstream has it.
   *
   * @see docs/spec/horizontal-pod-autoscaler-rules.md
   */
  readonly otherwise: Json;
}

/** What a metric measured of one pod. */
export interface PodUsage {
  readonly pointer: string;
  /** The resource, or the metric's name. */
  readonly of: string;
  /** Undefined: it is no container's. */
  readonly container: string | undefined;
  readonly value: string | number;
}

/** As many as are read at a look; the load as a whole changes the others, too. */
export const maximumPods = 50;

/** The first pods of the observation, and how many there are. */
export function observedPods(
  input: JsonObject,
  policy: EffectivePolicy,
): { readonly rows: readonly ObservedPodRow[]; readonly count: number } {
  const pods = listAt(input, '/observation/pods');
  const rows = pods.slice(0, maximumPods).flatMap((pod, index) => {
    const name = isJsonObject(pod) ? pod['name'] : undefined;
    if (typeof name !== 'string') return [];
    const usages = policy.metrics.flatMap((metric, at) => usagesOf(name, metric, samplesAt(input, at)));
    return [{ name, ready: readyOf(pod, pointerTo('/observation/pods', index)), usages }];
  });
  return { rows, count: pods.length };
}

interface Samples {
  readonly pointer: string;
  readonly list: readonly Json[];
}

function samplesAt(input: JsonObject, index: number): Samples {
  const pointer = pointerTo('/observation/metrics', index, 'pods');
  return { pointer, list: listAt(input, pointer) };
}

function usagesOf(pod: string, metric: MetricSpec, { pointer, list }: Samples): readonly PodUsage[] {
  const index = list.findIndex((sample) => isJsonObject(sample) && sample['pod'] === pod);
  const sample = list[index];
  if (!isJsonObject(sample)) return [];
  const at = pointerTo(pointer, index);
  if (metric.type === 'Pods') {
    const { value } = sample;
    return isQuantity(value)
      ? [{ pointer: pointerTo(at, 'value'), of: metric.metric.name, container: undefined, value }]
      : [];
  }
  if (metric.type !== 'Resource' && metric.type !== 'ContainerResource') return [];
  const wanted = metric.type === 'ContainerResource' ? metric.container : undefined;
  return listAt(sample, '/containers').flatMap((container, position): readonly PodUsage[] => {
    const name = valueAt(container, '/name');
    const value = valueAt(container, pointerTo('/usage', metric.resource));
    if (!isQuantity(value) || (wanted !== undefined && name !== wanted)) return [];
    const place = pointerTo(at, 'containers', position, 'usage', metric.resource);
    return [
      { pointer: place, of: metric.resource, container: typeof name === 'string' ? name : undefined, value },
    ];
  });
}

function readyOf(pod: Json, pointer: string): ObservedReadiness | undefined {
  const recorded = valueAt(pod, '/ready');
  const status = valueAt(recorded, '/status');
  if (recorded === undefined || typeof status !== 'string') return undefined;
  const isReady = status === 'True';
  const started = valueAt(pod, '/startTime');
  const since = typeof started === 'string' ? { lastTransitionTime: started } : {};
  const otherwise = { status: isReady ? 'False' : 'True', ...since };
  return { pointer: pointerTo(pointer, 'ready'), isReady, recorded, otherwise };
}

function listAt(value: Json, pointer: string): readonly Json[] {
  const list = valueAt(value, pointer);
  return Array.isArray(list) ? (list as readonly Json[]) : [];
}

function isQuantity(value: Json | undefined): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
