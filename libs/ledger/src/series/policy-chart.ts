import type { EffectivePolicy } from '#policy';
import { type ComparedMetric, comparedMetrics, type MetricMeasure } from './metric-value.ts';
import { isSameLayout, type SeriesChunk, type SeriesLayout } from './series-chunk.ts';

/** Which steps a chart has. */
export interface ChartRange {
  /** Milliseconds since 1970, inclusive. */
  readonly from: number;
  /** Exclusive. */
  readonly until: number;
  /** 1 or more, of equal length. */
  readonly steps: number;
}

/** A number over time, per step; null: no pass of the step has it. */
export interface StepValues {
  readonly mean: readonly (number | null)[];
  readonly lowest: readonly (number | null)[];
  readonly highest: readonly (number | null)[];
}

/** A metric over time, as the policies compared it that were in force. */
export interface MetricChart extends StepValues {
  readonly type: string;
  readonly name: string;
  readonly measure: MetricMeasure;
  readonly targets: readonly (number | null)[];
  readonly lowWatermarks: readonly (number | null)[];
  readonly highWatermarks: readonly (number | null)[];
}

/** What passes saw, step by step. */
export interface PolicyChart {
  readonly specReplicas: StepValues;
  readonly statusReplicas: StepValues;
  readonly metrics: readonly MetricChart[];
}

/** As many metrics as a chart holds, versions with others included. */
const maximumMetrics = 64;

/** The policy that was in force at a time, in milliseconds since 1970; null: none is known. */
export type PolicyAt = (time: number) => EffectivePolicy | null;

/** Folds the rows of a series into a few steps. */
export class ChartBuilder {
  readonly #range: ChartRange;
  readonly #policyAt: PolicyAt;
  readonly #specReplicas: StepFold;
  readonly #statusReplicas: StepFold;
  readonly #metrics = new Map<string, MetricFold>();
  #compared: Compared | null = null;

  constructor(range: ChartRange, policyAt: PolicyAt) {
    this.#range = range;
    this.#policyAt = policyAt;
    this.#specReplicas = new StepFold(range.steps);
    this.#statusReplicas = new StepFold(range.steps);
  }

  add({ layout, rows, columns }: SeriesChunk): void {
    for (let row = 0; row < rows; row += 1) {
      const time = columns[0]?.[row] ?? Number.NaN;
      const step = this.#stepOf(time);
      if (step === null) continue;
      this.#specReplicas.add(step, columns[1]?.[row] ?? Number.NaN);
      this.#statusReplicas.add(step, columns[2]?.[row] ?? Number.NaN);
      for (const { metric, fold } of this.#metricsOf(layout, time))
        fold.add(step, metric, metric.valueOf(columns, row));
    }
  }

  finish(): PolicyChart {
    return {
      specReplicas: this.#specReplicas.finish(),
      statusReplicas: this.#statusReplicas.finish(),
      metrics: [...this.#metrics.values()].map((fold) => fold.finish()),
    };
  }

  #stepOf(time: number): number | null {
    const { from, until, steps } = this.#range;
    if (!(time >= from && time < until)) return null;
    return Math.min(steps - 1, Math.floor(((time - from) / (until - from)) * steps));
  }

  #metricsOf(layout: SeriesLayout, time: number): Compared['metrics'] {
    const policy = this.#policyAt(time);
    const known = this.#compared;
    if (known !== null && known.policy === policy && isSameLayout(known.layout, layout)) return known.metrics;
    const compared = policy === null ? [] : comparedMetrics(layout, policy);
    const counts = new Map<string, number>();
    const metrics = compared.flatMap((metric) => {
      const name = `${metric.measure}/${metric.type}/${metric.name}`;
      const ordinal = counts.get(name) ?? 0;
      counts.set(name, ordinal + 1);
      const fold = this.#foldOf(`${ordinal}/${name}`, metric);
      return fold === null ? [] : { metric, fold };
    });
    this.#compared = { policy, layout, metrics };
    return metrics;
  }

  #foldOf(key: string, metric: ComparedMetric): MetricFold | null {
    const known = this.#metrics.get(key);
    if (known !== undefined) return known;
    if (this.#metrics.size === maximumMetrics) return null;
    const fold = new MetricFold(metric, this.#range.steps);
    this.#metrics.set(key, fold);
    return fold;
  }
}

/** How the rows of a layout are compared under a policy. */
interface Compared {
  readonly policy: EffectivePolicy | null;
  readonly layout: SeriesLayout;
  readonly metrics: readonly { readonly metric: ComparedMetric; readonly fold: MetricFold }[];
}

class StepFold {
  readonly #counts: Float64Array;
  readonly #sums: Float64Array;
  readonly #lowest: Float64Array;
  readonly #highest: Float64Array;

  constructor(steps: number) {
    this.#counts = new Float64Array(steps);
    this.#sums = new Float64Array(steps);
    this.#lowest = new Float64Array(steps).fill(Number.NaN);
    this.#highest = new Float64Array(steps).fill(Number.NaN);
  }

  /** What is no finite number is left out: a share of no pods, say. */
  add(step: number, value: number): void {
    if (!Number.isFinite(value)) return;
    this.#counts[step] = (this.#counts[step] ?? 0) + 1;
    this.#sums[step] = (this.#sums[step] ?? 0) + value;
    const [lowest = Number.NaN, highest = Number.NaN] = [this.#lowest[step], this.#highest[step]];
    if (!(lowest <= value)) this.#lowest[step] = value;
    if (!(highest >= value)) this.#highest[step] = value;
  }

  finish(): StepValues {
    const mean = this.#sums.map((sum, step) => sum / (this.#counts[step] ?? 0));
    return { mean: nullable(mean), lowest: nullable(this.#lowest), highest: nullable(this.#highest) };
  }
}

class MetricFold {
  readonly #metric: ComparedMetric;
  readonly #values: StepFold;
  readonly #marks: readonly [target: Float64Array, low: Float64Array, high: Float64Array];

  constructor(metric: ComparedMetric, steps: number) {
    this.#metric = metric;
    this.#values = new StepFold(steps);
    const none = (): Float64Array => new Float64Array(steps).fill(Number.NaN);
    this.#marks = [none(), none(), none()];
  }

  add(step: number, { target, lowWatermark, highWatermark }: ComparedMetric, value: number): void {
    this.#values.add(step, value);
    const [targets, low, high] = this.#marks;
    targets[step] = target ?? Number.NaN;
    low[step] = lowWatermark ?? Number.NaN;
    high[step] = highWatermark ?? Number.NaN;
  }

  finish(): MetricChart {
    const { type, name, measure } = this.#metric;
    const [targets, low, high] = this.#marks;
    return {
      type,
      name,
      measure,
      ...this.#values.finish(),
      targets: nullable(targets),
      lowWatermarks: nullable(low),
      highWatermarks: nullable(high),
    };
  }
}

function nullable(values: Float64Array): readonly (number | null)[] {
  return Array.from(values, (value) => (Number.isNaN(value) ? null : value));
}
