import { formatMilli, maxInt64, type Milli, minInt64, toMilli } from '#kernel';
import type { WatermarkTarget } from '#policy';
import { type CountedPods, invalidMetric, type MetricResult } from '../evaluation/evaluated-metric.ts';
import type { CurrentValue } from '../model/decision.ts';
import type { ObservedMetric } from '../model/observation.ts';
import { availability } from './availability.ts';
import { compareWithWatermarks } from './compare-with-watermarks.ts';
import { ExactSum } from './exact-sum.ts';
import type { MetricContext } from './metric-context.ts';
import { readValues } from './read-values.ts';
import type { ValueSpec } from './value-metric.ts';

interface WatermarkInput {
  readonly spec: ValueSpec;
  readonly target: WatermarkTarget;
  readonly observed: ObservedMetric | undefined;
}

/**
 * External, Prometheus and Object between two watermarks.
 *
 * @see docs/spec/watermark-rules.md "Values"
 */
export function watermarkValueMetric(
  context: MetricContext,
  { spec, target, observed }: WatermarkInput,
): MetricResult {
  const { pods, ready } = availability(context);
  const read = readValues(observed, { evaluation: context.evaluation, type: spec.type });
  if (!read.ok) return invalidMetric(read.message, pods);
  if (!ready.ok) return invalidMetric(ready.error, pods);
  const sum = sumExactly(read.values);
  if (sum === undefined) return invalidMetric('the sum of the values is beyond int64 milli-units', pods);
  if (sum === 0 && !context.evaluation.policy.tolerateZero)
    return zeroValue(context, { pods, ready: ready.value, current: currentOf(target, 0), what: 'the value' });
  const usage = target.algorithm === 'average' ? Number(sum) / ready.value : Number(sum);
  const figures = describeUsage({ usage, target });
  const outcome = compareWithWatermarks(context, { usage, ready: ready.value, target, figures });
  if (!outcome.ok) return invalidMetric(outcome.error, pods);
  return {
    ok: true,
    current: currentOf(target, truncated(usage, sum)),
    pods,
    readyCount: ready.value,
    isZeroValue: false,
    ...outcome.value,
  };
}

interface ZeroValue {
  readonly pods: CountedPods;
  readonly ready: number;
  readonly current: CurrentValue;
  readonly what: string;
}

/** A source that is down reads as zero, so the metric proposes the present count and keeps others from shrinking it. */
export function zeroValue(context: MetricContext, { pods, ready, current, what }: ZeroValue): MetricResult {
  return {
    ok: true,
    current,
    proposal: context.evaluation.present,
    pods,
    readyCount: ready,
    position: 'stable',
    isZeroValue: true,
    convergence: 'NotCompared',
    explain: () => [
      {
        rule: 'zero-value',
        after: context.evaluation.present,
        because: `${what} is 0 and tolerateZero is off: a source that is down reads as zero too, so ${context.evaluation.present} replicas stay`,
      },
    ],
  };
}

/** The exact sum, or undefined where it leaves int64. */
export function sumExactly(values: readonly Milli[]): Milli | undefined {
  const sum = new ExactSum();
  for (const value of values) sum.add(value);
  const total = sum.value();
  return total > maxInt64 || total < minInt64 ? undefined : total;
}

/** A float of thousandths cut to whole ones; a total that was never divided stays exact. */
export function truncated(usage: number, sum: Milli): Milli {
  return Number(sum) === usage ? sum : toMilli(BigInt(Math.trunc(usage)));
}

/** `value` for a total, `averageValue` for a share per ready pod; shares of memory are printed in binary. */
export function currentOf({ algorithm }: WatermarkTarget, milli: Milli, resource?: string): CurrentValue {
  if (algorithm === 'absolute') return { value: formatMilli(milli) };
  return { averageValue: formatMilli(milli, resource === 'memory' ? 'BinarySI' : 'DecimalSI') };
}

/** `1500m` or `1500m per ready pod`. */
export function describeUsage({ usage, target }: { usage: number; target: WatermarkTarget }): string {
  const text = formatMilli(toMilli(BigInt(Math.trunc(usage))));
  return target.algorithm === 'average' ? `${text} per ready pod` : text;
}
