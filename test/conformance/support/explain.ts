import type { Condition, Decision, MetricReport, SelectionReport, Step } from '#decision';

/**
 * A decision as lines for a person: what it comes to and why, then the selection's fallback, every metric, step and condition in order, with the
 * whole of its text.
 */
export function explain({
  action,
  currentReplicas,
  desiredReplicas,
  reason,
  selection,
  metrics,
  steps,
  conditions,
}: Decision): readonly string[] {
  return [
    `${action} ${currentReplicas} → ${desiredReplicas}: ${reason}`,
    ...fallbackLines(selection),
    ...metrics.map(metricLine),
    ...steps.map(stepLine),
    ...conditions.map(conditionLine),
  ];
}

function fallbackLines({ effective, fallback }: SelectionReport): readonly string[] {
  return fallback === null ? [] : [`selection ${effective}: ${fallback.reason}, ${fallback.message}`];
}

function metricLine({ type, name, current, proposedReplicas, error }: MetricReport): string {
  if (error !== null) return `${type} ${name} fails: ${error.reason}, ${error.message}`;
  const values = Object.entries(current).map(([key, value]) => `${key} ${value}`);
  return `${type} ${name} proposes ${proposedReplicas}: ${values.join(', ')}`;
}

function stepLine({ rule, before, after, because }: Step): string {
  return `${rule} ${before} → ${after}: ${because}`;
}

function conditionLine({ type, status, reason, message }: Condition): string {
  return `${type} ${status} ${reason}: ${message}`;
}
