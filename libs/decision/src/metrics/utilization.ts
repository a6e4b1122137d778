import { err, type Milli, ok, type Result } from '#kernel';
import type { ObservedPod } from '../model/observation.ts';
import { addMilli, divideTruncating, percentOf, utilizationPercent } from './exact-sum.ts';
import { type GroupedPods, PodGroup } from './group-pods.ts';
import type { PodReadings } from './pod-readings.ts';
import { podRequest, type RequestQuery } from './pod-request.ts';
import type { Fill, RatioModel } from './replicas-from-ratio.ts';
import { sumOfReady } from './replicas-from-ratio.ts';

/** A utilisation, and the figures that explain it. */
export interface Utilization extends RatioModel {
  /** Percent of the requests, truncated. */
  readonly percent: number;
  /** Usage per pod, truncated. */
  readonly average: Milli;
  /** What the ready pods request. */
  readonly requested: Milli;
}

interface UtilizationInput {
  readonly pods: readonly ObservedPod[];
  readonly readings: PodReadings;
  readonly groups: GroupedPods;
  readonly query: RequestQuery;
  readonly targetPercent: number;
}

/**
 * Usage as a percent of what the pods request. Every listed pod needs a request, also those whose usage does not
 * count; a value of a pod that is not listed is left out.
 *
 * @see docs/spec/horizontal-pod-autoscaler-rules.md "Reading metrics"
 * @see docs/spec/horizontal-pod-autoscaler-rules.md "Requests"
 * @see docs/spec/horizontal-pod-autoscaler-rules.md "From a ratio to replicas"
 */
export function utilization(input: UtilizationInput): Result<Utilization, string> {
  const { groups, readings, targetPercent } = input;
  const requests = sumRequests(input);
  if (!requests.ok) return requests;
  const { ready, missing, unready, missingFilled } = requests.value;
  if (ready === 0) return err('no metrics returned matched known pods');
  const usage = sumOfReady(readings, groups);
  const percent = utilizationPercent(usage, ready);
  return ok({
    percent,
    average: divideTruncating(usage, groups.ready.length),
    requested: ready,
    ratio: percent / targetPercent,
    refill: (fill: Fill) => {
      const filledUsage = fill.missing === 'AtTarget' ? addMilli(usage, missingFilled) : usage;
      let filledRequests = fill.missing === 'Out' ? ready : addMilli(ready, missing);
      if (fill.unready !== 'Out') filledRequests = addMilli(filledRequests, unready);
      return filledRequests === 0
        ? Number.NaN
        : utilizationPercent(filledUsage, filledRequests) / targetPercent;
    },
  });
}

interface RequestSums {
  readonly ready: Milli;
  readonly missing: Milli;
  readonly unready: Milli;
  /** The assumed usage of missing pods when scaling down: all they request, or the target where that is more. */
  readonly missingFilled: Milli;
}

function sumRequests({ pods, groups, query, targetPercent }: UtilizationInput): Result<RequestSums, string> {
  const assumedPercent = Math.max(100, targetPercent);
  let ready: Milli = 0;
  let unready: Milli = 0;
  let missing: Milli = 0;
  let missingFilled: Milli = 0;
  for (let index = 0; index < pods.length; index += 1) {
    const pod = pods[index];
    if (pod === undefined) continue;
    const request = podRequest(pod, query);
    if (!request.ok) return request;
    switch (groups.groupOf[index]) {
      case PodGroup.Ready:
        ready = addMilli(ready, request.value);
        break;
      case PodGroup.Unready:
        unready = addMilli(unready, request.value);
        break;
      case PodGroup.Missing:
        missing = addMilli(missing, request.value);
        missingFilled = addMilli(missingFilled, percentOf(request.value, assumedPercent));
        break;
      default:
    }
  }
  return ok({ ready, unready, missing, missingFilled });
}
