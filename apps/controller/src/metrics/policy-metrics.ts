import { type PassReport, policyConditionTypes } from '#reconciliation';
import { labelsOfPolicy, type PolicyMetric, type Samples, type SeriesSubject } from './policy-series.ts';
import { watermarkMetrics } from './watermark-metrics.ts';

/** Upstream's conditions would double what a scrape of a large fleet weighs. */
const ownTypes: ReadonlySet<string> = new Set(policyConditionTypes);

const policyLabels = labelsOfPolicy(({ policy: { namespace, name } }) => ({ namespace, policy: name }));
const hpaLabels = labelsOfPolicy(({ policy: { namespace, name } }) => ({ namespace, hpa_name: name }));

/** The metrics with series of each policy: Plimsoll's, and upstream's where a dashboard would look for them. */
export const policyMetrics: readonly PolicyMetric[] = [
  {
    name: 'plimsoll_desired_replicas',
    type: 'gauge',
    help: 'The count decided last.',
    labels: ['namespace', 'policy'],
    read: (subject) => desired(subject, policyLabels),
  },
  {
    name: 'plimsoll_policy_condition',
    type: 'gauge',
    help: '1 for the status of each condition that Plimsoll sets itself.',
    labels: ['namespace', 'policy', 'condition', 'status'],
    read: ({ report }: SeriesSubject): Samples => {
      const labels = policyLabels(report);
      return report.conditions
        .filter(({ type }) => ownTypes.has(type))
        .map(({ type, status }) => [`${labels},condition="${type}",status="${status}"`, 1]);
    },
  },
  {
    name: 'horizontal_pod_autoscaler_controller_desired_replicas',
    type: 'gauge',
    help: 'The count decided last, as the HPA controller names it.',
    labels: ['namespace', 'hpa_name'],
    read: (subject) => desired(subject, hpaLabels),
  },
  ...watermarkMetrics,
];

function desired({ report }: SeriesSubject, labelsOf: (report: PassReport) => string): Samples {
  const count = report.decision?.desiredReplicas ?? null;
  return count === null ? [] : [[labelsOf(report), count]];
}
