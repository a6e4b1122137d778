import { addSeconds, compareInstants, type Instant } from '#kernel';
import type { CountedPods } from '../evaluation/evaluated-metric.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { instantOf } from '../model/instant-of.ts';
import type { ObservedPod, PodSample } from '../model/observation.ts';
import type { SelectedPods } from '../selection/select-pods.ts';
import type { PodReadings } from './pod-readings.ts';

/** The group of one pod, as the index of its list. */
export const PodGroup = { Ready: 0, Unready: 1, Missing: 2, Ignored: 3 } as const;
export type PodGroupId = (typeof PodGroup)[keyof typeof PodGroup];

/** Pods by group. */
export interface GroupedPods extends CountedPods {
  /** By the index of the pod. */
  readonly groupOf: readonly PodGroupId[];
}

const defaultWindowSeconds = 60;

/**
 * Sorts pods into ignored, unready, missing and ready; the first that matches wins. Only for `cpu` a sample is
 * distrusted while its pod starts.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/#algorithm-details
 */
export function groupPods(
  { pods, names }: Pick<SelectedPods, 'pods' | 'names'>,
  { evaluation, readings, isCpu }: { evaluation: Evaluation; readings: PodReadings; isCpu: boolean },
): GroupedPods {
  const groupOf = new Array<PodGroupId>(pods.length);
  let areAllReady = true;
  const isDistrusted = isCpu ? cpuDistrust(evaluation) : isNeverDistrusted;
  const { values, samples } = readings;
  let index = 0;
  for (const pod of pods) {
    let group = groupByState(pod, values[index] !== undefined);
    if (group === PodGroup.Ready && isDistrusted(pod, samples[index])) group = PodGroup.Unready;
    groupOf[index] = group;
    if (group !== PodGroup.Ready) areAllReady = false;
    index += 1;
  }
  if (areAllReady) return { groupOf, ready: names, unready: none, missing: none, ignored: none };
  return { groupOf, ...namesByGroup(groupOf, names) };
}

const none: readonly string[] = [];

function namesByGroup(groupOf: readonly PodGroupId[], names: readonly string[]): CountedPods {
  const lists: readonly [string[], string[], string[], string[]] = [[], [], [], []];
  for (let index = 0; index < groupOf.length; index += 1)
    lists[groupOf[index] ?? PodGroup.Ignored].push(names[index] ?? '');
  const [ready, unready, missing, ignored] = lists;
  return { ready, unready, missing, ignored };
}

function groupByState({ deletionTimestamp, phase }: ObservedPod, hasMetric: boolean): PodGroupId {
  if ((deletionTimestamp !== null && deletionTimestamp !== undefined) || phase === 'Failed')
    return PodGroup.Ignored;
  if (phase === 'Pending') return PodGroup.Unready;
  return hasMetric ? PodGroup.Ready : PodGroup.Missing;
}

function isNeverDistrusted(): boolean {
  return false;
}

/** Whether a CPU sample is not representative yet: the pod is starting, or has never been ready. */
function cpuDistrust({
  now,
  settings,
}: Evaluation): (pod: ObservedPod, sample: PodSample | undefined) => boolean {
  const { cpuInitializationPeriodSeconds, initialReadinessDelaySeconds } = settings;
  const initializing = addSeconds(now, -cpuInitializationPeriodSeconds);
  return ({ ready, startTime }, sample) => {
    const started = instantOf(startTime);
    if (ready === null || ready === undefined || started === undefined) return true;
    if (compareInstants(started, initializing) > 0)
      return ready.status === 'False' || isTakenBeforeReady(sample, ready.lastTransitionTime, now);
    if (ready.status !== 'False') return false;
    const settled = addSeconds(started, initialReadinessDelaySeconds);
    const changed = instantOf(ready.lastTransitionTime);
    return changed === undefined || compareInstants(settled, changed) > 0;
  };
}

/** Less than one whole window was collected since readiness last changed. */
function isTakenBeforeReady(
  sample: PodSample | undefined,
  since: string | null | undefined,
  now: Instant,
): boolean {
  const changed = instantOf(since);
  if (changed === undefined) return false;
  const taken = instantOf(sample?.timestamp) ?? now;
  const window = sample?.windowSeconds ?? defaultWindowSeconds;
  return compareInstants(taken, addSeconds(changed, window)) < 0;
}
