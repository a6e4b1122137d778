import { milliValue, parseQuantity } from '#kernel';
import type { ActivePolicy, PassReport } from '#reconciliation';
import {
  type Labels,
  labelsOfPolicy,
  labelText,
  type PolicyMetric,
  type Samples,
  type SeriesSubject,
} from './policy-series.ts';

type MetricReport = NonNullable<PassReport['decision']>['metrics'][number];

const infoNames = ['wpa_name', 'wpa_namespace', 'resource_namespace', 'namespace', 'dry_run'] as const;

const baseNames = [
  'wpa_name',
  'wpa_namespace',
  'resource_namespace',
  'resource_name',
  'resource_kind',
  'target_name',
  'namespace',
  'dry_run',
] as const;

/** The labels of every series, and those of `labels_info`. */
const baseLabels = labelsOfPolicy(allLabels);
const infoLabels = labelsOfPolicy((active) => {
  const labels = allLabels(active);
  return Object.fromEntries(infoNames.map((name) => [name, labels[name]]));
});

function allLabels({
  policy: { namespace, name, target, dryRun },
}: ActivePolicy): Readonly<Record<(typeof baseNames)[number], string>> {
  return {
    wpa_name: name,
    wpa_namespace: namespace,
    resource_namespace: namespace,
    resource_name: target.name,
    resource_kind: target.kind,
    target_name: target.name,
    namespace,
    dry_run: String(dryRun),
  };
}

/** What the Watermark Pod Autoscaler shows of each object, of policies of the watermark family. */
export const watermarkMetrics: readonly PolicyMetric[] = [
  ofMetrics('value', 'The value of a metric, in thousandths.', ({ metric }) => valueOf(metric)),
  ...(['high_watermark', 'high_watermak'] as const).map((name) =>
    ofMetrics(name, 'The high watermark of a metric, in thousandths.', ({ marks }) => marks.high),
  ),
  ...(['low_watermark', 'low_watermak'] as const).map((name) =>
    ofMetrics(name, 'The low watermark of a metric, in thousandths.', ({ marks }) => marks.low),
  ),
  ofMetrics(
    'replicas_scaling_proposal',
    'The count that a metric proposes.',
    ({ metric }) => metric.proposedReplicas,
  ),
  gauge({ name: 'replicas_scaling_effective' }, 'The count decided.', ({ report }) => [
    [null, report.decision?.desiredReplicas ?? null],
  ]),
  gauge({ name: 'min_replicas' }, 'The policy’s minReplicas.', ({ report }) => [
    [null, report.active.policy.minReplicas],
  ]),
  gauge({ name: 'max_replicas' }, 'The policy’s maxReplicas.', ({ report }) => [
    [null, report.active.policy.maxReplicas],
  ]),
  gauge({ name: 'dry_run' }, '1 where the policy is a dry run.', ({ report }) => [
    [null, report.active.policy.dryRun ? 1 : 0],
  ]),
  gauge({ name: 'scaling_active' }, '1 while ScalingActive is True.', ({ report }) => [
    [null, isTrue(report, 'ScalingActive') ? 1 : 0],
  ]),
  gauge(
    { name: 'restricted_scaling', labels: ['reason'] },
    '1 for what restricts the count: a capped scale-down, a capped scale-up, or nothing but the bounds.',
    ({ report }) => {
      const restriction = restrictionOf(report);
      return restrictions.map((reason) => [{ reason }, reason === restriction ? 1 : 0]);
    },
  ),
  gauge(
    { name: 'transition_countdown', labels: ['transition'] },
    'Seconds left of the forbidden window of a direction.',
    (subject) => [
      [{ transition: 'upscale' }, countdown(subject, 'scaleUp')],
      [{ transition: 'downscale' }, countdown(subject, 'scaleDown')],
    ],
  ),
  gauge({ name: 'conditions', labels: ['condition'] }, '1 while a condition is True.', ({ report }) =>
    shownConditions.map(([condition, type]) => [{ condition }, isTrue(report, type) ? 1 : 0]),
  ),
  counter('upscale_replicas_total', 'Replicas added.', ({ scaled }) => scaled.up),
  counter('downscale_replicas_total', 'Replicas removed.', ({ scaled }) => scaled.down),
  {
    name: 'wpa_controller_lifecycle_control_status',
    type: 'gauge',
    help: '1 while the object of the policy’s lifecycle blocks it.',
    labels: ['wpa_name', 'wpa_namespace', 'lifecycle_status', 'monitor_name', 'monitor_namespace', 'dry_run'],
    family: 'watermark',
    read: lifecycleStatus,
  },
  {
    name: 'wpa_controller_labels_info',
    type: 'gauge',
    help: 'Always 1.',
    labels: infoNames,
    family: 'watermark',
    read: ({ report }: SeriesSubject): Samples => [[infoLabels(report), 1]],
  },
];

/** A gauge, with what of a policy's labels it adds to those of every series. */
function gauge(
  { name, labels = [] }: { readonly name: string; readonly labels?: readonly string[] },
  help: string,
  read: (subject: SeriesSubject) => readonly (readonly [Labels | null, number | null])[],
): PolicyMetric {
  return {
    name: `wpa_controller_${name}`,
    type: 'gauge',
    help,
    labels: [...baseNames, ...labels],
    family: 'watermark',
    read: (subject) => {
      const base = baseLabels(subject.report);
      return read(subject).flatMap(([own, value]): Samples =>
        value === null ? [] : [[`${base}${own === null ? '' : `,${labelText(own)}`}`, value]],
      );
    },
  };
}

function counter(name: string, help: string, read: (subject: SeriesSubject) => number): PolicyMetric {
  return { ...gauge({ name }, help, (subject) => [[null, read(subject)]]), type: 'counter' };
}

/** A metric of the policy, and the marks it is held against, in thousandths. */
interface MarkedMetric {
  readonly metric: MetricReport;
  readonly marks: { readonly low: number | null; readonly high: number | null };
}

function ofMetrics(name: string, help: string, read: (marked: MarkedMetric) => number | null): PolicyMetric {
  return gauge({ name, labels: ['metric_name'] }, help, ({ report }) =>
    (report.decision?.metrics ?? []).map((metric, index) => [
      { metric_name: metric.name },
      read({ metric, marks: marksOf(report, index) }),
    ]),
  );
}

function marksOf({ active: { policy } }: PassReport, index: number): MarkedMetric['marks'] {
  const target = policy.recommender ?? policy.metrics[index]?.target;
  if (target === undefined || !('lowMilli' in target)) return { low: null, high: null };
  return { low: Number(target.lowMilli), high: Number(target.highMilli) };
}

function valueOf({ current }: MetricReport): number | null {
  return milliOf(current.value ?? current.averageValue);
}

function milliOf(text: string | undefined): number | null {
  const quantity = text === undefined ? null : parseQuantity(text);
  return quantity?.ok === true ? Number(milliValue(quantity.value) ?? 0n) : null;
}

const restrictions = ['downscale_capping', 'upscale_capping', 'within_bounds'] as const;

function restrictionOf({ conditions }: PassReport): (typeof restrictions)[number] {
  const limited = conditions.find(({ type, status }) => type === 'ScalingLimited' && status === 'True');
  if (limited?.reason === 'ScaleDownLimit') return 'downscale_capping';
  return limited?.reason === 'ScaleUpLimit' ? 'upscale_capping' : 'within_bounds';
}

function countdown({ report, now }: SeriesSubject, direction: 'scaleUp' | 'scaleDown'): number {
  const { active, lastScaleTime } = report;
  const window = active.policy.behavior[direction].forbiddenWindowSeconds ?? 0;
  if (lastScaleTime === null) return 0;
  return Math.max(0, window - Math.floor((now - Date.parse(lastScaleTime)) / 1_000));
}

const shownConditions = [
  ['able_to_scale', 'AbleToScale'],
  ['scaling_limited', 'ScalingLimited'],
  ['scaling_blocked', 'ScalingBlocked'],
] as const;

function isTrue({ conditions }: PassReport, wanted: string): boolean {
  return conditions.some(({ type, status }) => type === wanted && status === 'True');
}

function lifecycleStatus({ report }: SeriesSubject): Samples {
  const { lifecycle } = report.active.policy;
  if (lifecycle === undefined) return [];
  const { namespace, name, dryRun } = report.active.policy;
  const labels = {
    wpa_name: name,
    wpa_namespace: namespace,
    lifecycle_status: 'blocked',
    monitor_name: lifecycle.name,
    monitor_namespace: namespace,
    dry_run: String(dryRun),
  };
  return [[labelText(labels), isTrue(report, 'ScalingBlocked') ? 1 : 0]];
}
