import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { PassReport } from '#reconciliation';

/** Upstream's buckets: 0.001 · 2^k seconds, k = 0 … 14. */
export const durationBuckets = Array.from({ length: 15 }, (_, exponent) => 0.001 * 2 ** exponent);

const prefix = 'horizontal_pod_autoscaler_controller_';

type PassLabel = 'action' | 'error';
type MetricLabel = PassLabel | 'metric_type';
type UpstreamAction = 'scale_up' | 'scale_down' | 'none';
type UpstreamError = 'spec' | 'internal' | 'none';

/** What the HPA controller of Kubernetes counts, of Plimsoll's passes: the same names, labels and buckets. */
export class UpstreamMetrics {
  readonly #passes: Counter<PassLabel>;
  readonly #durations: Histogram<PassLabel>;
  readonly #computations: Counter<MetricLabel>;
  readonly #computationDurations: Histogram<MetricLabel>;
  readonly #staleSkips: Counter<'group' | 'resource'>;

  constructor(registry: Registry, countOfHpaPolicies: () => number) {
    const registers = [registry];
    const labelNames: PassLabel[] = ['action', 'error'];
    this.#passes = new Counter({
      name: `${prefix}reconciliations_total`,
      help: 'Number of reconciliations of the HPA controller.',
      labelNames,
      registers,
    });
    this.#durations = new Histogram({
      name: `${prefix}reconciliation_duration_seconds`,
      help: 'The time that the HPA controller takes to reconcile once.',
      labelNames,
      buckets: durationBuckets,
      registers,
    });
    this.#computations = new Counter({
      name: `${prefix}metric_computation_total`,
      help: 'Number of metric computations.',
      labelNames: [...labelNames, 'metric_type'],
      registers,
    });
    this.#computationDurations = new Histogram({
      name: `${prefix}metric_computation_duration_seconds`,
      help: 'The time that the HPA controller takes to calculate one metric.',
      labelNames: [...labelNames, 'metric_type'],
      buckets: durationBuckets,
      registers,
    });
    this.#staleSkips = new Counter({
      name: `${prefix}stale_sync_skips_total`,
      help: 'Number of reconciliations skipped because a cache was stale.',
      labelNames: ['group', 'resource'],
      registers,
    });
    new Gauge({
      name: `${prefix}num_horizontal_pod_autoscalers`,
      help: 'Number of policies that are carried out as an HPA is.',
      registers,
      collect() {
        this.set(countOfHpaPolicies());
      },
    });
  }

  /** Counts a pass. */
  record(report: PassReport): void {
    const { decision, outcome, durationMilliseconds } = report;
    const labels = { action: actionOf(decision?.action), error: errorOf(report) };
    this.#passes.inc(labels);
    this.#durations.observe(labels, durationMilliseconds / 1_000);
    if (outcome.kind === 'Waiting' && outcome.cache !== undefined) this.#staleSkips.inc({ ...outcome.cache });
    if (decision !== null) this.#recordMetrics(decision, report.computationMilliseconds ?? 0);
  }

  #recordMetrics(
    { metrics, currentReplicas }: NonNullable<PassReport['decision']>,
    milliseconds: number,
  ): void {
    for (const { type, proposedReplicas, error } of metrics) {
      const labels = {
        action: error === null ? directionOf(currentReplicas, proposedReplicas) : 'none',
        error: error === null ? 'none' : 'internal',
        metric_type: type,
      };
      this.#computations.inc(labels);
      this.#computationDurations.observe(labels, milliseconds / 1_000);
    }
  }
}

function actionOf(action: NonNullable<PassReport['decision']>['action'] | undefined): UpstreamAction {
  if (action === 'ScaleUp') return 'scale_up';
  return action === 'ScaleDown' ? 'scale_down' : 'none';
}

function directionOf(before: number | null, proposed: number | null): UpstreamAction {
  if (before === null || proposed === null || before === proposed) return 'none';
  return proposed > before ? 'scale_up' : 'scale_down';
}

/** `spec`: the policy asks for what there is not; upstream knows that of a source of metrics only. */
function errorOf({ outcome: { kind, reason }, decision }: PassReport): UpstreamError {
  if (reason === 'InvalidMetricSourceType') return 'spec';
  const isSelector = reason === 'InvalidSelector' || reason === 'AmbiguousSelector';
  const hasFailed = kind === 'Failed' || kind === 'Bug' || isSelector;
  const isInvalid = decision?.metrics.some(({ error }) => error !== null) === true;
  return hasFailed || isInvalid ? 'internal' : 'none';
}
