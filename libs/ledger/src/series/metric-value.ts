import type { EffectivePolicy, MetricTarget } from '#policy';
import type { SeriesLayout, SeriesMetric } from './series-chunk.ts';

/** What a metric's value is of: percent of the requests, a share per pod, a total, or replicas that are recommended. */
export type MetricMeasure = 'Utilization' | 'AverageValue' | 'Value' | 'Replicas';

/** A metric as its policy compares it. */
export interface ComparedMetric {
  readonly type: string;
  readonly name: string;
  readonly measure: MetricMeasure;
  /** What the value is held against; null: a range. */
  readonly target: number | null;
  /** Null: a target. */
  readonly lowWatermark: number | null;
  readonly highWatermark: number | null;
  /** The value of a row, in the units of the target; NaN: there is none. */
  readonly valueOf: (columns: readonly Float64Array[], row: number) => number;
}

const statusReplicasColumn = 2;
const firstMetricColumn = 3;

/** Of the places of `seriesColumns`. */
const metricOffsets = { ready: 0, value: 5, containers: 6 } as const;
const containerWidth = 4;

/**
 * The metrics of a layout as a policy compares them. A metric that is not the policy's at that place is left out: the
 * rows are of another version.
 */
export function comparedMetrics(
  { metrics }: SeriesLayout,
  policy: EffectivePolicy,
): readonly ComparedMetric[] {
  let column = firstMetricColumn;
  return metrics.flatMap((metric, index) => {
    const place: MetricPlace = { metric, column };
    column += metricOffsets.containers + metric.containers.length * containerWidth;
    return comparedMetric(place, policy, index) ?? [];
  });
}

interface MetricPlace {
  readonly metric: SeriesMetric;
  /** Where its columns begin. */
  readonly column: number;
}

function comparedMetric(place: MetricPlace, policy: EffectivePolicy, index: number): ComparedMetric | null {
  const { type, name } = place.metric;
  const total = totalOf(place);
  if (type === 'Recommender') {
    return {
      type,
      name,
      measure: 'Replicas',
      ...noMarks,
      valueOf: (columns, row) => total(columns, row) / 1_000,
    };
  }
  const spec = policy.metrics[index];
  if (spec?.type !== type) return null;
  return { type, name, ...comparison(place, spec.target, total) };
}

const noMarks = { target: null, lowWatermark: null, highWatermark: null };

type RowValue = ComparedMetric['valueOf'];

function comparison(
  { metric, column }: MetricPlace,
  target: MetricTarget,
  total: RowValue,
): Pick<ComparedMetric, 'measure' | 'target' | 'lowWatermark' | 'highWatermark' | 'valueOf'> {
  const perPod: RowValue = (columns, row) => total(columns, row) / 1_000 / at(columns, column, row);
  const whole: RowValue = (columns, row) => total(columns, row) / 1_000;
  if (target.type === 'Watermark') {
    const marks = {
      target: null,
      lowWatermark: units(target.lowMilli),
      highWatermark: units(target.highMilli),
    };
    return target.algorithm === 'average'
      ? { measure: 'AverageValue', ...marks, valueOf: perPod }
      : { measure: 'Value', ...marks, valueOf: whole };
  }
  const { averageUtilization, averageValueMilli, valueMilli } = target;
  if (averageUtilization !== undefined) {
    const valueOf: RowValue = (columns, row) =>
      (100 * total(columns, row)) / sumOf(columns, row, requestColumns({ metric, column }, columns, row));
    return { measure: 'Utilization', ...noMarks, target: averageUtilization, valueOf };
  }
  if (averageValueMilli === undefined) {
    return {
      measure: 'Value',
      ...noMarks,
      target: valueMilli === undefined ? null : units(valueMilli),
      valueOf: whole,
    };
  }
  // A metric that looks at no pods is shared by the replicas that the target has.
  const perReplica: RowValue = (columns, row) =>
    total(columns, row) / 1_000 / at(columns, statusReplicasColumn, row);
  const valueOf = looksAtPods(metric) ? perPod : perReplica;
  return { measure: 'AverageValue', ...noMarks, target: units(averageValueMilli), valueOf };
}

/** Of the metric's own value, or of the usage of all containers, in thousandths. */
function totalOf({ metric, column }: MetricPlace): RowValue {
  if (!looksAtPods(metric)) return (columns, row) => at(columns, column + metricOffsets.value, row);
  const usage = metric.containers.map(
    (_, index) => column + metricOffsets.containers + index * containerWidth,
  );
  return (columns, row) => sumOf(columns, row, usage);
}

/** Requests of pod level stand for those of the containers. */
function requestColumns(
  { metric, column }: MetricPlace,
  columns: readonly Float64Array[],
  row: number,
): readonly number[] {
  const requests = metric.containers.map(
    (_, index) => column + metricOffsets.containers + index * containerWidth + 1,
  );
  const ofPods = requests[metric.containers.indexOf('')];
  return ofPods === undefined || Number.isNaN(at(columns, ofPods, row)) ? requests : [ofPods];
}

function looksAtPods({ type }: SeriesMetric): boolean {
  return type === 'Resource' || type === 'ContainerResource' || type === 'Pods';
}

/** NaN: none of them has a value. */
function sumOf(columns: readonly Float64Array[], row: number, places: readonly number[]): number {
  let sum = Number.NaN;
  for (const place of places) {
    const value = at(columns, place, row);
    if (!Number.isNaN(value)) sum = Number.isNaN(sum) ? value : sum + value;
  }
  return sum;
}

function at(columns: readonly Float64Array[], column: number, row: number): number {
  return columns[column]?.[row] ?? Number.NaN;
}

function units(milli: bigint): number {
  return Number(milli) / 1_000;
}
