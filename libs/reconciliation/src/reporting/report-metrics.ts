import type { Decision, MetricReport } from '#decision';
import type { Pass } from '../pass/pass.ts';
import type { EventSubject } from '../ports/kubernetes-events.port.ts';

/** A metric that could not be evaluated. */
type InvalidMetric = MetricReport & { readonly error: NonNullable<MetricReport['error']> };

/** What is reported of a decision's metrics. */
export interface MetricSighting {
  readonly decision: Decision;
  readonly subject: EventSubject;
  /** The reason of the Event that the pass's outcome has; null: it has none. */
  readonly told: string | null;
}

/**
 * Reports invalid metrics as upstream does: each with an Event of its own reason, and `FailedComputeMetricsReplicas` where
 * they keep the count. Those that keep it are reported with the outcome, once; those that another metric carries each
 * time, and in the log when they change.
 */
export function reportMetrics(
  { ports, runtime }: Pick<Pass, 'ports' | 'runtime'>,
  seen: MetricSighting,
): void {
  const { decision, subject, told } = seen;
  const invalid = decision.metrics.filter(isInvalid);
  const isCarried = isActive(decision);
  logCarried({ ports, runtime }, isCarried ? invalid : []);
  const [first] = invalid;
  if (first === undefined || (!isCarried && told === null)) return;
  const warning = { subject, type: 'Warning', time: ports.clock.now() } as const;
  for (const metric of invalid) {
    const { reason } = metric.error;
    if (reason !== told)
      ports.kubernetesEvents.emit({ ...warning, reason, message: describeInvalid(metric) });
  }
  if (isCarried) return;
  const message = `invalid metrics (${invalid.length} invalid out of ${decision.metrics.length}), first error is: ${describeInvalid(first)}`;
  ports.kubernetesEvents.emit({ ...warning, reason: 'FailedComputeMetricsReplicas', message });
}

function logCarried(
  { ports, runtime }: Pick<Pass, 'ports' | 'runtime'>,
  carried: readonly InvalidMetric[],
): void {
  if (!runtime.takeCarriedMetrics(carried.map(describeInvalid).join('\n'))) return;
  for (const metric of carried) {
    const { reason } = metric.error;
    const text = `${runtime.key}  ${describeInvalid(metric)}; the other metrics want no fewer replicas, so the pass goes on`;
    ports.log.write({ level: 'info', text, fields: { policy: runtime.key, reason } });
  }
}

function isInvalid(metric: MetricReport): metric is InvalidMetric {
  return metric.error !== null;
}

/** Whether a valid metric carried the pass. */
function isActive({ conditions }: Decision): boolean {
  return conditions.some(({ type, status }) => type === 'ScalingActive' && status === 'True');
}

function describeInvalid({ name, error }: InvalidMetric): string {
  return `${name}: ${error.message}`;
}
