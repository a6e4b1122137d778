import type { Decision, MetricReport } from '#decision';

/** A boring decision: cpu at 83 % of 60 % takes 4 replicas to 6. */
export function aDecision(changes: Partial<Decision> = {}): Decision {
  return {
    time: '2026-11-20T12:00:00.000Z',
    policy: { namespace: 'shop', name: 'checkout' },
    currentReplicas: 4,
    desiredReplicas: 6,
    action: 'ScaleUp',
    reason: 'cpu resource utilization (percentage of request) above target',
    selection: { requested: 'LabelSelector', effective: 'LabelSelector', fallback: null },
    metrics: [aDecisionMetric()],
    steps: [],
    conditions: [],
    ...changes,
  };
}

/** One metric of a decision: cpu at 83 %. */
export function aDecisionMetric(changes: Partial<MetricReport> = {}): MetricReport {
  return {
    type: 'Resource',
    name: 'cpu',
    target: { type: 'Utilization', averageUtilization: 60 },
    current: { averageUtilization: 83, averageValue: '83m' },
    proposedReplicas: 6,
    error: null,
    pods: { considered: [], ready: [], unready: [], missing: [], ignored: [], filteredOut: [] },
    ...changes,
  };
}
