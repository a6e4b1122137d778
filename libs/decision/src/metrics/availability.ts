import { addSeconds, compareInstants, err, ok, type Result } from '#kernel';
import type { CountedPods } from '../evaluation/evaluated-metric.ts';
import { instantOf } from '../model/instant-of.ts';
import type { ObservedPod } from '../model/observation.ts';
import type { MetricContext } from './metric-context.ts';

/** The pods behind a value of the whole workload, and how many of them count. */
export interface Availability {
  readonly pods: CountedPods;
  /** Ready pods, at most status.replicas; or why there are too few. */
  readonly ready: Result<number, string>;
}

/**
 * Counts the ready pods for an External, Object or Prometheus watermark and for a recommender. Failed and Succeeded
 * pods are left out of everything, deleted and unready ones stay in the denominator.
 *
 * @see docs/spec/watermark-rules.md "Ready pods"
 */
export function availability(context: MetricContext): Availability {
  const ready: string[] = [];
  const unready: string[] = [];
  const ignored: string[] = [];
  for (const pod of context.selected.pods) {
    if (pod.phase === 'Failed' || pod.phase === 'Succeeded') ignored.push(pod.name);
    else (isAvailable(pod, context) ? ready : unready).push(pod.name);
  }
  const pods: CountedPods = { ready, unready, missing: [], ignored };
  return { pods, ready: countReady(pods, context) };
}

function isAvailable(pod: ObservedPod, { evaluation }: MetricContext): boolean {
  const { ready, startTime, deletionTimestamp, phase } = pod;
  if (ready === null || ready === undefined || isAbsent(startTime) || !isAbsent(deletionTimestamp))
    return false;
  if (phase === 'Running') return ready.status === 'True';
  if (phase !== 'Pending') return false;
  // A pending pod counts while its readiness changed less than the delay ago.
  const changed = instantOf(ready.lastTransitionTime);
  if (changed === undefined) return false;
  return compareInstants(evaluation.now, addSeconds(changed, evaluation.policy.readinessDelaySeconds)) < 0;
}

function countReady(
  { ready, unready, ignored }: CountedPods,
  context: MetricContext,
): Result<number, string> {
  if (ready.length + unready.length + ignored.length === 0)
    return err('no pods returned by selector while calculating replica count');
  if (ready.length === 0) return err(`none of ${unready.length} pods is ready`);
  const counted = Math.min(ready.length, context.evaluation.statusReplicas);
  return checkAvailable({
    ready: counted,
    of: ready.length + unready.length,
    minimum: context.evaluation.policy.minAvailablePercent,
  });
}

/** The truncated percentage of available pods against `minAvailablePercent`. */
export function checkAvailable(given: {
  ready: number;
  of: number;
  minimum: number;
}): Result<number, string> {
  const { ready, of, minimum } = given;
  const percent = Math.trunc((100 * ready) / of);
  return percent < minimum
    ? err(`${percent} % of ${of} pods are available, fewer than the ${minimum} % that are required`)
    : ok(ready);
}

function isAbsent(value: string | null | undefined): boolean {
  return value === null || value === undefined;
}
