import type { ObservedMetric } from '#decision';
import { messageOf } from '#kernel';
import type { MetricSpec } from '#policy';
import { type Deadline, DeadlineExceeded } from '../pass/deadline.ts';
import type { Pass } from '../pass/pass.ts';
import { withAnswerDeadline } from './answer-deadline.ts';

const itsMetrics = 'its metrics';

/**
 * `observation.metrics` of the pass's policy. A metrics port that hangs or breaks gives invalid metrics, never no
 * decision: an invalid metric holds or blocks scaling down, and that is worth recording.
 */
export async function readMetrics(pass: Pass, selector: string): Promise<readonly ObservedMetric[]> {
  const { namespace, metrics } = pass.runtime.active.policy;
  if (metrics.length === 0) return [];
  const query = { namespace, selector, metrics };
  const present = pass.metrics.presentMetrics(query);
  if (present !== undefined) return present;
  return withAnswerDeadline(pass, itsMetrics, async (deadline) => {
    try {
      return await deadline.race(pass.metrics.fetchMetrics(query, deadline.signal), itsMetrics);
    } catch (error) {
      const message = failureText(error, deadline);
      return metrics.map(({ type }) => ({ error: { reason: reasonOf(type), message } }));
    }
  });
}

function reasonOf(type: MetricSpec['type']): string {
  return `FailedGet${type}Metric`;
}

function failureText(error: unknown, { milliseconds }: Deadline): string {
  if (error instanceof DeadlineExceeded) return `no answer within ${milliseconds / 1000} s`;
  return messageOf(error);
}
