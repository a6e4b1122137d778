import { policy } from '../../messages/policy.ts';
import type { MetricMeasure } from '../../schema.generated.ts';

const texts = policy.chart;

/** What tells a metric of a chart from the others. */
export interface ChartedMetric {
  readonly name: string;
  readonly measure: MetricMeasure;
  readonly type: string;
}

/** What a decision says of a metric. */
export interface DecidedMetric {
  readonly name: string;
  readonly type: string;
  readonly proposedReplicas: number | null;
}

/** As the address names a metric: by its name, and where several have that by its place among them, from 2. */
export function metricKeys(metrics: readonly Pick<ChartedMetric, 'name'>[]): readonly string[] {
  const seen = new Map<string, number>();
  return metrics.map(({ name }) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} ${count}`;
  });
}

/**
 * Which metric is drawn: the one that the address names, else the one that decided, which is the one that proposed the
 * most, else the first. -1: there is none.
 */
export function metricShown(
  metrics: readonly ChartedMetric[],
  asked: string | null,
  decided: readonly DecidedMetric[],
): number {
  const named = asked === null ? -1 : metricKeys(metrics).indexOf(asked);
  if (named !== -1) return named;
  const most = decided.reduce<DecidedMetric | undefined>(
    (best, each) => ((each.proposedReplicas ?? -1) > (best?.proposedReplicas ?? -1) ? each : best),
    undefined,
  );
  const found = metrics.findIndex(({ name, type }) => name === most?.name && type === most.type);
  return found === -1 ? Math.min(0, metrics.length - 1) : found;
}

/** `cpu, % of request` */
export function axisLabel({ name, measure }: Pick<ChartedMetric, 'name' | 'measure'>): string {
  const unit = texts.units[measure];
  return unit === '' ? name : `${name}, ${unit}`;
}
