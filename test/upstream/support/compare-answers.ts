import type { DecideOutput, MetricReport, RememberedCondition, TimedReplicas } from '#decision';
import type { UpstreamAnswer, UpstreamCondition, UpstreamMemory } from './upstream-answer.ts';

type Facts = Readonly<Record<string, unknown>>;

/** What both sides say, in one form; equal facts are agreement. */
export interface Comparison {
  readonly ours: Facts;
  readonly theirs: Facts;
}

/** Puts one decision beside upstream's answer to the same input. */
export function compareAnswers({ decision, memory }: DecideOutput, answer: UpstreamAnswer): Comparison {
  const isWritten = decision.action === 'ScaleUp' || decision.action === 'ScaleDown';
  const isEvaluated = decision.metrics.length > 0;
  const isCounted = decision.metrics.map((metric) => metric.current.averageValue !== undefined);
  return {
    ours: {
      desired: decision.desiredReplicas,
      isWritten,
      // Upstream has no reason where only stabilisation or a bound moved the count; ours is a sentence then.
      reason: answer.reason === '' ? '' : decision.reason,
      proposals: decision.metrics.map(({ proposedReplicas }) => proposedReplicas),
      current: decision.metrics.map(currentOf),
      recommendations: countsOf(memory.recommendations),
      scaleUpEvents: countsOf(memory.scaleUpEvents),
      scaleDownEvents: countsOf(memory.scaleDownEvents),
      lastScaleTime: millis(memory.lastScaleTime),
      conditions: conditionsOf(memory.conditions),
    },
    theirs: {
      desired: answer.desired,
      isWritten: answer.written,
      reason: answer.reason,
      // A negative proposal is 0 here (it may come of a negative value); upstream carries it to the same end.
      proposals: isEvaluated ? (answer.proposals ?? []).map((count) => count && Math.max(0, count)) : [],
      current: isEvaluated
        ? (answer.current ?? []).map((value, index) => theirCurrent(value, isCounted[index]))
        : [],
      ...theirMemory(answer.memory),
    },
  };
}

function theirMemory(memory: UpstreamMemory): Facts {
  return {
    recommendations: countsOf(memory.recommendations),
    scaleUpEvents: countsOf(memory.scaleUpEvents),
    scaleDownEvents: countsOf(memory.scaleDownEvents),
    lastScaleTime: millis(memory.lastScaleTime),
    conditions: conditionsOf(memory.conditions),
  };
}

function currentOf({ current }: MetricReport): Facts {
  return { ...current };
}

/** Upstream divides by zero where status.replicas is 0; what it reports then is undefined, and we leave it out. */
function theirCurrent(current: Facts | null, isCounted: boolean | undefined): Facts {
  if (current === null) return {};
  if (isCounted === true || current['averageValue'] === undefined) return current;
  return Object.fromEntries(Object.entries(current).filter(([key]) => key !== 'averageValue'));
}

function countsOf(list: readonly TimedReplicas[] | null | undefined): readonly unknown[] {
  return (list ?? []).map(({ replicas, time }) => [replicas, millis(time)]);
}

function conditionsOf(
  list: readonly (RememberedCondition | UpstreamCondition)[] | null | undefined,
): readonly unknown[] {
  return (list ?? [])
    .map(({ type, status, reason, lastTransitionTime }) => [type, status, reason, millis(lastTransitionTime)])
    .sort(([one], [other]) => String(one).localeCompare(String(other)));
}

function millis(time: string | null | undefined): number | null {
  return time === null || time === undefined ? null : Date.parse(time);
}
