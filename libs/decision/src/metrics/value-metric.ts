import { formatMilli, maxInt64, type Milli, toMilli } from '#kernel';
import type { MetricSpec, ResourceTarget } from '#policy';
import {
  type CountedPods,
  invalidMetric,
  type MetricResult,
  noPods,
  type TrailStep,
} from '../evaluation/evaluated-metric.ts';
import type { CurrentValue } from '../model/decision.ts';
import type { ObservedMetric } from '../model/observation.ts';
import { toReplicas } from './exact-sum.ts';
import type { MetricContext } from './metric-context.ts';
import { positionOf } from './per-pod-metric.ts';
import { readValues, sumForAverage, sumForValue } from './read-values.ts';
import { describeTolerances, isWithin, tolerancesFor } from './tolerances.ts';

/** A metric with one value for the whole workload. */
export type ValueSpec = Extract<MetricSpec, { type: 'Object' | 'External' | 'Prometheus' }>;

interface ValueInput {
  readonly spec: ValueSpec;
  readonly target: ResourceTarget;
  readonly observed: ObservedMetric | undefined;
}

/**
 * Object, External and Prometheus against a value or a value per pod.
 *
 * @see docs/spec/horizontal-pod-autoscaler-rules.md "Value and AverageValue"
 */
export function valueMetric(context: MetricContext, input: ValueInput): MetricResult {
  const wanted = wantedOf(input);
  const pods = wanted?.kind === 'Value' ? countRunningReady(context) : noPods;
  if (wanted === undefined) return invalidMetric(noTarget(input.spec.type), pods);
  const read = readValues(input.observed, { evaluation: context.evaluation, type: input.spec.type });
  if (!read.ok) return invalidMetric(read.message, pods);
  return wanted.kind === 'Value'
    ? againstValue(context, { ...input, wanted: wanted.milli, values: read.values, pods })
    : againstAverage(context, { ...input, wanted: wanted.milli, values: read.values, pods });
}

interface Wanted {
  readonly kind: 'Value' | 'AverageValue';
  readonly milli: Milli;
}

/** An Object target needs its type to agree with its field; External goes by the field, the average first. */
function wantedOf({ spec, target }: ValueInput): Wanted | undefined {
  const { type, averageValueMilli, valueMilli } = target;
  const isObject = spec.type === 'Object';
  if (averageValueMilli !== undefined && (!isObject || type === 'AverageValue'))
    return { kind: 'AverageValue', milli: toMilli(averageValueMilli) };
  if (valueMilli !== undefined && (!isObject || type === 'Value'))
    return { kind: 'Value', milli: toMilli(valueMilli) };
  return undefined;
}

/** Running and Ready; a pod that is being deleted counts while it is both. */
function countRunningReady({ selected }: MetricContext): CountedPods {
  const ready: string[] = [];
  const unready: string[] = [];
  for (const pod of selected.pods)
    (pod.phase === 'Running' && pod.ready?.status === 'True' ? ready : unready).push(pod.name);
  return { ready, unready, missing: [], ignored: [] };
}

interface Against extends ValueInput {
  readonly wanted: Milli;
  readonly values: readonly Milli[];
  readonly pods: CountedPods;
}

function againstValue(context: MetricContext, { target, wanted, values, pods }: Against): MetricResult {
  const { evaluation, selected } = context;
  const { present } = evaluation;
  const usage = sumForValue(values);
  const ratio = Number(usage) / Number(wanted);
  const tolerances = tolerancesFor(evaluation, target);
  const isKept = present !== 0 && isWithin(tolerances, ratio);
  if (present !== 0 && !isKept && selected.pods.length === 0) {
    return invalidMetric(
      'unable to calculate ready pods: no pods returned by selector while calculating replica count',
      pods,
    );
  }
  // From zero there are no pods to multiply with, so the ratio is the count.
  const raw = toReplicas(Math.ceil(present === 0 ? ratio : ratio * pods.ready.length));
  const over = present === 0 ? 'no replicas' : `${pods.ready.length} ready pods`;
  return valid(context, {
    current: { value: formatMilli(usage) },
    raw,
    isKept,
    pods,
    readyCount: pods.ready.length,
    figures: `${formatMilli(usage)} over ${over}; target ${formatMilli(wanted)} ${describeTolerances(tolerances)}`,
    ratio,
  });
}

function againstAverage(context: MetricContext, { spec, target, wanted, values }: Against): MetricResult {
  const { evaluation } = context;
  const { statusReplicas } = evaluation;
  const usage = spec.type === 'Object' ? (values[0] ?? 0) : sumForAverage(values);
  const ratio = Number(usage) / (Number(wanted) * statusReplicas);
  const tolerances = tolerancesFor(evaluation, target);
  const isKept = isWithin(tolerances, ratio);
  const average = averageOf({ usage, statusReplicas, isObject: spec.type === 'Object' });
  return valid(context, {
    current: average === undefined ? {} : { averageValue: formatMilli(average) },
    raw: toReplicas(Math.ceil(Number(usage) / Number(wanted))),
    keptCount: statusReplicas,
    isKept,
    pods: noPods,
    readyCount: null,
    figures: `${formatMilli(usage)} over ${statusReplicas} replicas of the target; target ${formatMilli(wanted)} per pod ${describeTolerances(tolerances)}`,
    ratio,
  });
}

/** Usage per replica rounded up in float64 as upstream does, kept within int64; undefined without replicas. */
function averageOf(given: { usage: Milli; statusReplicas: number; isObject: boolean }): Milli | undefined {
  const { usage, statusReplicas, isObject } = given;
  if (statusReplicas === 0) return undefined;
  if (!isObject && Number(usage) >= Number(maxInt64)) return maxInt64;
  const average = Math.ceil(Number(usage) / statusReplicas) + 0;
  if (average >= Number(maxInt64)) return maxInt64;
  return toMilli(BigInt(average));
}

interface Concluded {
  readonly current: CurrentValue;
  readonly raw: number;
  /** The count that stays within tolerance; the present one unless said otherwise. */
  readonly keptCount?: number;
  readonly isKept: boolean;
  readonly pods: CountedPods;
  readonly readyCount: number | null;
  readonly figures: string;
  readonly ratio: number;
}

function valid(context: MetricContext, given: Concluded): MetricResult {
  const { current, raw, isKept, pods, readyCount, figures, ratio } = given;
  const proposal = isKept ? (given.keptCount ?? context.evaluation.present) : raw;
  const explain = (): readonly TrailStep[] => {
    const proposed: TrailStep = { rule: 'proposal', after: raw, because: figures };
    const because = `the ratio ${Number(ratio.toPrecision(6))} is within the tolerance; ${proposal} replicas stay`;
    return isKept ? [proposed, { rule: 'tolerance', after: proposal, because }] : [proposed];
  };
  return {
    ok: true,
    current,
    proposal,
    pods,
    readyCount,
    position: positionOf(proposal, context.evaluation.present),
    isZeroValue: false,
    convergence: 'NotCompared',
    explain,
  };
}

function noTarget(type: ValueSpec['type']): string {
  return `invalid ${type.toLowerCase()} metric source: neither a value target nor an average value target was set`;
}
