import { policyConditionTypes } from '#reconciliation';
import type { PolicyMetric, Samples, SeriesSubject } from './policy-series.ts';
import { watermarkMetrics } from './watermark-metrics.ts';

/** Upstream's conditions would double what a scrape of a large fleet weighs. */
const ownTypes: ReadonlySet<string> = new Set(policyConditionTypes);

/** The metrics with series of each policy: Plimsoll's, and upstream's where a dashboard would look for them. */
export const policyMetrics: readonly PolicyMetric[] = [
  {
    name: 'plimsoll_desired_replicas',
    type: 'gauge',
    help: 'The count decided last.',
    labels: ['namespace', 'policy'],
    read: (subject) => desired(subject, 'policy'),
  },
  {
    name: 'plimsoll_policy_condition',
    type: 'gauge',
    help: '1 for the status of each condition that Plimsoll sets itself.',
    labels: ['namespace', 'policy', 'condition', 'status'],
    read: ({ report: { active, conditions } }: SeriesSubject): Samples => {
      const { namespace, name: policy } = active.policy;
      return conditions
        .filter(({ type }) => ownTypes.has(type))
        .map(({ type: condition, status }) => [{ namespace, policy, condition, status }, 1]);
    },
  },
  {
    name: 'horizontal_pod_autoscaler_controller_desired_replicas',
    type: 'gauge',
    help: 'The count decided last, as the HPA controller names it.',
    labels: ['namespace', 'hpa_name'],
    read: (subject) => desired(subject, 'hpa_name'),
  },
  ...watermarkMetrics,
];

function desired({ report: { active, decision } }: SeriesSubject, label: 'policy' | 'hpa_name'): Samples {
  const count = decision?.desiredReplicas ?? null;
  const { namespace, name } = active.policy;
  return count === null ? [] : [[{ namespace, [label]: name }, count]];
}
