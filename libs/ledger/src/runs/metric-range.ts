import type { CurrentValue } from '#decision';
import { parseMilli } from '#kernel';
import type { MetricRange, Range } from '../entries/payloads/decision-payloads.ts';

/** What of a metric its range is made from. */
export interface RangedMetric {
  readonly type: string;
  readonly name: string;
  readonly proposedReplicas: number | null;
  readonly current: CurrentValue;
}

/** The ranges of one decision. */
export function rangesOf(metrics: readonly RangedMetric[]): readonly MetricRange[] {
  return metrics.map(({ type, name, proposedReplicas, current }) => ({
    type,
    name,
    proposedReplicas: proposedReplicas === null ? null : only(proposedReplicas),
    current: rangeOfCurrent(current),
  }));
}

/** Widens ranges by another decision's values. Metrics correspond by their order, which an unchanged policy keeps. */
export function widenRanges(
  ranges: readonly MetricRange[],
  metrics: readonly RangedMetric[],
): readonly MetricRange[] {
  const added = rangesOf(metrics);
  const longer = ranges.length > added.length ? ranges : added;
  return longer.flatMap((_, index) => {
    const [before, now] = [ranges[index], added[index]];
    if (before === undefined || now === undefined) return now ?? before ?? [];
    return {
      type: now.type,
      name: now.name,
      proposedReplicas: widen(before.proposedReplicas, now.proposedReplicas, numberOrder) ?? null,
      current: widenCurrent(before.current, now.current),
    };
  });
}

function only<T>(value: T): Range<T> {
  return { min: value, max: value };
}

function rangeOfCurrent({ averageUtilization, averageValue, value }: CurrentValue): MetricRange['current'] {
  return {
    ...(averageUtilization === undefined ? {} : { averageUtilization: only(averageUtilization) }),
    ...(averageValue === undefined ? {} : { averageValue: only(averageValue) }),
    ...(value === undefined ? {} : { value: only(value) }),
  };
}

function widenCurrent(before: MetricRange['current'], now: MetricRange['current']): MetricRange['current'] {
  const averageUtilization = widen(before.averageUtilization, now.averageUtilization, numberOrder);
  const averageValue = widen(before.averageValue, now.averageValue, quantityOrder);
  const value = widen(before.value, now.value, quantityOrder);
  return {
    ...(averageUtilization ? { averageUtilization } : {}),
    ...(averageValue ? { averageValue } : {}),
    ...(value ? { value } : {}),
  };
}

type Order<T> = (a: T, b: T) => boolean;

function widen<T>(
  before: Range<T> | null | undefined,
  now: Range<T> | null | undefined,
  isBelow: Order<T>,
): Range<T> | null | undefined {
  if (!before || !now) return now ?? before;
  return {
    min: isBelow(now.min, before.min) ? now.min : before.min,
    max: isBelow(before.max, now.max) ? now.max : before.max,
  };
}

const numberOrder: Order<number> = (a, b) => a < b;

/** By value: `900m` is below `1`. A decision prints only quantities that parse; another text is below none. */
const quantityOrder: Order<string> = (a, b) => {
  const [milliA, milliB] = [parseMilli(a), parseMilli(b)];
  return milliA !== undefined && milliB !== undefined && milliA < milliB;
};
