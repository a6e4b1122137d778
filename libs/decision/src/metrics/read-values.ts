import { maxInt64, type Milli, parseMilli, toMilli } from '#kernel';
import type { Evaluation } from '../evaluation/evaluation.ts';
import type { ObservedMetric, QuantityText } from '../model/observation.ts';
import { isQuantityText, staleness, whyStale } from './pod-readings.ts';
import { sourceFailure } from './source-failure.ts';

/** The values of an Object, External or Prometheus metric in their order, or why there are none. */
export type ReadValues =
  { readonly ok: true; readonly values: readonly Milli[] } | { readonly ok: false; readonly message: string };

/** Reads every value; a stale answer, an empty one and one that is no quantity make the metric invalid. */
export function readValues(
  observed: ObservedMetric | undefined,
  { evaluation, type }: { evaluation: Evaluation; type: 'Object' | 'External' | 'Prometheus' },
): ReadValues {
  const failure = sourceFailure(observed, type);
  if (failure !== null || observed === undefined) return { ok: false, message: failure ?? 'not observed' };
  const texts = type === 'Object' ? [observed.value].filter(isQuantityText) : (observed.values ?? []);
  if (texts.length === 0) return { ok: false, message: noValues[type] };
  if (staleness(evaluation)(observed.timestamp)) {
    return {
      ok: false,
      message: `the value of ${String(observed.timestamp)} ${whyStale(observed.timestamp, evaluation)}`,
    };
  }
  return parseAll(texts);
}

function parseAll(texts: readonly QuantityText[]): ReadValues {
  const values: Milli[] = [];
  for (const text of texts) {
    const milli = parseMilli(text);
    if (milli === undefined) {
      const shown = JSON.stringify(text).slice(0, 60);
      return { ok: false, message: `the value ${shown} is no quantity within int64 milli-units` };
    }
    values.push(milli);
  }
  return { ok: true, values };
}

const noValues = {
  Object: 'no value returned from custom metrics API',
  External: 'no metrics returned from external metrics API',
  Prometheus: 'no values returned from Prometheus',
} as const;

/**
 * The sum for a Value target: at the first positive overflow it is 2⁶³−1 and ends there.
 *
 * @see docs/spec/horizontal-pod-autoscaler-rules.md "Value and AverageValue"
 */
export function sumForValue(values: readonly Milli[]): Milli {
  let sum = 0n;
  for (const value of values) {
    sum += BigInt(value);
    if (sum > maxInt64) return maxInt64;
    // Upstream adds in int64, which wraps where it becomes too small.
    sum = BigInt.asIntN(64, sum);
  }
  return toMilli(sum);
}

/**
 * The sum for an AverageValue target: where the running sum falls below 0, be it by a negative value or by overflow,
 * it is 2⁶³−1 and ends there, as upstream takes it for an overflow.
 *
 * @see docs/spec/horizontal-pod-autoscaler-rules.md "Value and AverageValue"
 */
export function sumForAverage(values: readonly Milli[]): Milli {
  let sum = 0n;
  for (const value of values) {
    sum += BigInt(value);
    if (sum > maxInt64 || sum < 0n) return maxInt64;
  }
  return toMilli(sum);
}
