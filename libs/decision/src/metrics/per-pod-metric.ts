import { formatMilli, type Milli, toMilli } from '#kernel';
import type { MetricSpec, ResourceTarget } from '#policy';
import { invalidMetric, type MetricResult, type TrailStep } from '../evaluation/evaluated-metric.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import type { CurrentValue } from '../model/decision.ts';
import type { ObservedMetric } from '../model/observation.ts';
import { averageUsage } from './average-usage.ts';
import { type GroupedPods, groupPods } from './group-pods.ts';
import type { MetricContext } from './metric-context.ts';
import {
  noSamplesLeft,
  type PodReadings,
  type ReadSample,
  readSamples,
  resourceReader,
  valueReader,
} from './pod-readings.ts';
import { type RatioModel, type RatioOutcome, replicasFromRatio } from './replicas-from-ratio.ts';
import { sourceFailure } from './source-failure.ts';
import { describeTolerances, tolerancesFor } from './tolerances.ts';
import { utilization } from './utilization.ts';

/** A metric of autoscaling/v2 that has one value per pod. */
export type PerPodSpec = Extract<MetricSpec, { type: 'Resource' | 'ContainerResource' | 'Pods' }>;

interface PerPodInput {
  readonly spec: PerPodSpec;
  readonly target: ResourceTarget;
  readonly observed: ObservedMetric | undefined;
}

/**
 * Resource, ContainerResource and Pods against a utilisation or a value per pod.
 *
 * @see docs/spec/horizontal-pod-autoscaler-rules.md "From a ratio to replicas"
 */
export function perPodMetric(context: MetricContext, { spec, target, observed }: PerPodInput): MetricResult {
  const { evaluation, selected } = context;
  const failure = sourceFailure(observed, spec.type);
  const listed = failure === null ? (observed?.pods ?? []) : [];
  const readings = readSamples(listed, { evaluation, selected, read: readerFor(spec) });
  const isCpu = spec.type !== 'Pods' && spec.resource === 'cpu';
  const groups = groupPods(selected, { evaluation, readings, isCpu });
  const fault =
    failure ??
    faultOf({ listed: listed.length, pods: selected.pods.length, readings, groups, spec, evaluation });
  return fault === null
    ? againstTarget(context, { spec, target, readings, groups })
    : invalidMetric(fault, groups);
}

interface Counted {
  readonly spec: PerPodSpec;
  readonly target: ResourceTarget;
  readonly readings: PodReadings;
  readonly groups: GroupedPods;
}

function againstTarget(context: MetricContext, counted: Counted): MetricResult {
  const { spec, groups } = counted;
  const { averageValueMilli, averageUtilization } = counted.target;
  if (averageValueMilli !== undefined) return againstAverage(context, counted, toMilli(averageValueMilli));
  if (spec.type !== 'Pods' && averageUtilization !== undefined)
    return againstUtilization(context, { ...counted, spec, targetPercent: averageUtilization });
  return invalidMetric(noTarget(spec.type === 'Pods' ? 'pods' : 'resource'), groups);
}

function againstAverage(context: MetricContext, counted: Counted, wanted: Milli): MetricResult {
  const { spec, readings, groups } = counted;
  const model = averageUsage({ readings, groups, target: wanted });
  const average = quantityFor(spec, model.average);
  return conclude(context, {
    counted,
    model,
    current: { averageValue: average },
    figures: () =>
      `${average} on average over ${groups.ready.length} ready pods; target ${quantityFor(spec, wanted)}`,
  });
}

interface CountedUsage extends Counted {
  readonly spec: Exclude<PerPodSpec, { type: 'Pods' }>;
  readonly targetPercent: number;
}

function againstUtilization(context: MetricContext, counted: CountedUsage): MetricResult {
  const { spec, readings, groups, targetPercent } = counted;
  const query = {
    resource: spec.resource,
    container: spec.type === 'ContainerResource' ? spec.container : null,
    allowsPodLevel: context.evaluation.settings.featureGates.PodLevelResources,
  };
  const { pods } = context.selected;
  const model = utilization({ pods, readings, groups, query, targetPercent });
  if (!model.ok) return invalidMetric(model.error, groups);
  const { percent, average, requested } = model.value;
  return conclude(context, {
    counted,
    model: model.value,
    current: { averageUtilization: percent, averageValue: quantityFor(spec, average) },
    figures: () =>
      `${percent} % of ${formatMilli(requested)} requested over ${groups.ready.length} ready pods; target ${targetPercent} %`,
  });
}

interface Concluded {
  readonly counted: Counted;
  readonly model: RatioModel;
  readonly current: CurrentValue;
  /** Called only for the metric that wins. */
  readonly figures: () => string;
}

function conclude(context: MetricContext, { counted, model, current, figures }: Concluded): MetricResult {
  const { groups, readings, target } = counted;
  const tolerances = tolerancesFor(context.evaluation, target);
  const outcome = replicasFromRatio({
    model,
    groups,
    counted: groups.ready.length + readings.superfluous.length,
    present: context.evaluation.present,
    tolerances,
  });
  if (Number.isNaN(outcome.ratio)) return invalidMetric('no metrics returned matched known pods', groups);
  return {
    ok: true,
    current,
    proposal: outcome.proposal,
    pods: groups,
    readyCount: groups.ready.length,
    position: positionOf(outcome.proposal, context.evaluation.present),
    isZeroValue: false,
    convergence: 'NotCompared',
    explain: () =>
      explainRatio(outcome, { figures: `${figures()} ${describeTolerances(tolerances)}`, groups, context }),
  };
}

/** The position of a metric without watermarks: above or below as it proposes more or fewer replicas. */
export function positionOf(proposal: number, current: number): 'above' | 'below' | 'stable' {
  if (proposal === current) return 'stable';
  return proposal > current ? 'above' : 'below';
}

function explainRatio(
  { raw, kept, ratio, fill, proposal }: RatioOutcome,
  { figures, groups, context }: { figures: string; groups: GroupedPods; context: MetricContext },
): readonly TrailStep[] {
  let because = figures;
  if (fill.missing === 'AtTarget')
    because += `; ${groups.missing.length} pods without a metric count as fully used`;
  if (fill.missing === 'AtZero') because += `; ${groups.missing.length} pods without a metric count as idle`;
  if (fill.unready === 'AtZero') because += `; ${groups.unready.length} unready pods count as idle`;
  const proposed: TrailStep = { rule: 'proposal', after: raw, because };
  if (kept === null) return [proposed];
  const ratioText = `the ratio ${Number(ratio.toPrecision(6))}`;
  const why =
    kept === 'WithinTolerance'
      ? `${ratioText} is within the tolerance`
      : `${ratioText}, with pods that were assumed, would turn the direction round; ${context.evaluation.present} replicas stay`;
  return [proposed, { rule: 'tolerance', after: proposal, because: why }];
}

function readerFor(spec: PerPodSpec): ReadSample {
  if (spec.type === 'Pods') return valueReader;
  return resourceReader(spec.resource, spec.type === 'ContainerResource' ? spec.container : null);
}

interface Faults {
  readonly listed: number;
  readonly pods: number;
  readonly readings: PodReadings;
  readonly groups: GroupedPods;
  readonly spec: PerPodSpec;
  readonly evaluation: Evaluation;
}

/** Upstream's errors in upstream's order, after what makes a value unusable. */
function faultOf({ listed, pods, readings, groups, spec, evaluation }: Faults): string | null {
  const api = spec.type === 'Pods' ? 'custom' : 'resource';
  if (listed === 0) return `no metrics returned from ${api} metrics API`;
  if (readings.fault !== null) return readings.fault;
  if (pods === 0) return 'no pods returned by selector while calculating replica count';
  if (groups.ready.length + readings.superfluous.length === 0) return noSamplesLeft(readings, evaluation);
  return null;
}

/** Memory is printed in Ki, Mi and so on, everything else in decimal. */
export function quantityFor(spec: MetricSpec, value: Milli): string {
  const isMemory = 'resource' in spec && spec.resource === 'memory';
  return formatMilli(value, isMemory ? 'BinarySI' : 'DecimalSI');
}

function noTarget(source: string): string {
  return `invalid ${source} metric source: neither a value target nor an average value target was set`;
}
