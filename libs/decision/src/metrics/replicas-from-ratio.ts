import type { Milli } from '#kernel';
import { addMilli, toReplicas } from './exact-sum.ts';
import { type GroupedPods, PodGroup } from './group-pods.ts';
import type { PodReadings } from './pod-readings.ts';
import { isWithin, type Tolerances } from './tolerances.ts';

/** The ratio of usage to target over pods. */
export interface RatioModel {
  /** The ratio over the pods that have a trusted sample. */
  readonly ratio: number;
  /** The ratio when pods are filled in; NaN where there is nothing to divide by. */
  readonly refill: (fill: Fill) => number;
}

/** Which pods without a trusted sample are counted, and how. */
export interface Fill {
  readonly missing: 'AtTarget' | 'AtZero' | 'Out';
  readonly unready: 'AtZero' | 'Out';
}

/** The count that follows from a ratio. */
export interface RatioOutcome {
  readonly proposal: number;
  /** What the ratio alone would give. */
  readonly raw: number;
  /** Why the proposal is the present count although the raw one is not, or null. */
  readonly kept: 'WithinTolerance' | 'Reverses' | null;
  /** The ratio that decided, pods filled in. */
  readonly ratio: number;
  readonly fill: Fill;
}

interface RatioInput {
  readonly model: RatioModel;
  readonly groups: GroupedPods;
  /** Metrics left after those of ignored and unready pods: ready pods and superfluous ones. */
  readonly counted: number;
  readonly present: number;
  readonly tolerances: Tolerances;
}

/**
 * From a usage ratio to a count. Pods without a trusted sample are assumed to dampen the change: a missing pod counts
 * as fully used where the others ask to scale down and as idle where they ask to scale up, an unready one as idle where
 * they ask to scale up.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/#algorithm-details
 */
export function replicasFromRatio({ model, groups, counted, present, tolerances }: RatioInput): RatioOutcome {
  const { ratio } = model;
  const growsWithUnready = groups.unready.length > 0 && ratio > 1.0;
  if (!growsWithUnready && groups.missing.length === 0) {
    const raw = toReplicas(Math.ceil(ratio * groups.ready.length));
    const isKept = isWithin(tolerances, ratio);
    const fill: Fill = { missing: 'Out', unready: 'Out' };
    return { proposal: isKept ? present : raw, raw, kept: isKept ? 'WithinTolerance' : null, ratio, fill };
  }
  const fill = fillFor({ ratio, hasMissing: groups.missing.length > 0, growsWithUnready });
  const entries =
    counted +
    (fill.missing === 'Out' ? 0 : groups.missing.length) +
    (fill.unready === 'Out' ? 0 : groups.unready.length);
  const newRatio = model.refill(fill);
  const raw = toReplicas(Math.ceil(newRatio * entries));
  const kept = whyKept({ ratio, newRatio, raw, present, tolerances });
  return { proposal: kept === null ? raw : present, raw, kept, ratio: newRatio, fill };
}

function fillFor(given: { ratio: number; hasMissing: boolean; growsWithUnready: boolean }): Fill {
  const { ratio, hasMissing, growsWithUnready } = given;
  const missing = !hasMissing || ratio === 1.0 ? 'Out' : ratio < 1.0 ? 'AtTarget' : 'AtZero';
  return { missing, unready: growsWithUnready ? 'AtZero' : 'Out' };
}

interface Refilled {
  readonly ratio: number;
  readonly newRatio: number;
  readonly raw: number;
  readonly present: number;
  readonly tolerances: Tolerances;
}

function whyKept({ ratio, newRatio, raw, present, tolerances }: Refilled): RatioOutcome['kept'] {
  if (isWithin(tolerances, newRatio)) return 'WithinTolerance';
  const isTurned = (ratio < 1.0 && newRatio > 1.0) || (ratio > 1.0 && newRatio < 1.0);
  const isOpposed = (newRatio < 1.0 && raw > present) || (newRatio > 1.0 && raw < present);
  return isTurned || isOpposed ? 'Reverses' : null;
}

/** The sum of the values of ready pods. */
export function sumOfReady({ values }: PodReadings, { groupOf }: GroupedPods): Milli {
  let sum: Milli = 0;
  for (let index = 0; index < groupOf.length; index += 1) {
    const value = values[index];
    if (groupOf[index] === PodGroup.Ready && value !== undefined) sum = addMilli(sum, value);
  }
  return sum;
}
