import type { CaseMetric, CasePod, WatermarkCase } from './watermark-case.ts';

/** What the specification says one metric proposes. Written from it, not from the code; plain numbers throughout. */
export type MetricModel =
  | { readonly isValid: false }
  | {
      readonly isValid: true;
      readonly proposal: number;
      readonly ready: number;
      readonly position: 'above' | 'below' | 'stable';
      /** A zero that must not move anything. */
      readonly isZero: boolean;
      readonly isCompared: boolean;
      readonly isConverging: boolean;
    };

const invalid: MetricModel = { isValid: false };
const maximum = 2_147_483_647;

/** One metric by its kind. */
export function metricModel(metric: CaseMetric, given: WatermarkCase): MetricModel {
  if (metric.values === null) return invalid;
  if (metric.kind === 'average') return averageModel(metric, metric.values, given);
  return metric.kind === 'value' ? valueModel(metric, metric.values, given) : resourceModel(metric, given);
}

/** An AverageValue of External beside the marks, with the global tolerance of 0.1. */
function averageModel(metric: CaseMetric, values: readonly number[], given: WatermarkCase): MetricModel {
  if (values.length === 0) return invalid;
  let sum = 0;
  for (const value of values) {
    sum += value;
    // Upstream takes a negative running sum for an overflow.
    if (sum < 0) {
      sum = 9_223_372_036_854_775_807;
      break;
    }
  }
  const ratio = sum / (metric.high * given.status);
  const isWithin = 1 - 0.1 <= ratio && ratio <= 1 + 0.1;
  const proposal = isWithin ? given.status : Math.min(maximum, Math.ceil(sum / metric.high));
  const position = proposal > given.current ? 'above' : proposal < given.current ? 'below' : 'stable';
  return { ...neutral, proposal, ready: given.current, position, isCompared: false };
}

const neutral = { isValid: true, isZero: false, isCompared: true, isConverging: false } as const;

/** Section 5.1 to 5.4. */
function valueModel(metric: CaseMetric, values: readonly number[], given: WatermarkCase): MetricModel {
  const { pods } = given;
  const excluded = pods.filter(({ phase }) => phase === 'Failed' || phase === 'Succeeded').length;
  const counted = pods.filter((pod) => isCounted(pod, given.readinessDelay)).length;
  if (counted === 0 || values.length === 0) return invalid;
  const ready = Math.min(counted, given.status);
  if (Math.trunc((100 * ready) / (pods.length - excluded)) < given.minAvailable) return invalid;
  const sum = values.reduce((total, value) => total + value, 0);
  if (sum === 0 && !given.tolerateZero) {
    return {
      ...neutral,
      proposal: given.current,
      ready,
      position: 'stable',
      isZero: true,
      isCompared: false,
    };
  }
  return markModel(metric, { given, ready, usage: metric.algorithm === 'average' ? sum / ready : sum });
}

function isCounted({ phase, ready, started, deleting }: CasePod, delay: number): boolean {
  if (ready === null || started === null || deleting) return false;
  return (phase === 'Running' && ready.status === 'True') || (phase === 'Pending' && ready.age < delay);
}

/** Section 6, with the departures of the head. */
function resourceModel(metric: CaseMetric, given: WatermarkCase): MetricModel {
  const isIgnored = (pod: CasePod): boolean => isIgnoredFor(metric.kind, pod, given.readinessDelay);
  const ignored = given.pods.filter(isIgnored).length;
  const samples = given.pods.flatMap((pod) => (pod.usage === null || isIgnored(pod) ? [] : [pod.usage]));
  if (samples.length === 0) return invalid;
  const ready = samples.length;
  if (Math.trunc((100 * ready) / (given.pods.length - ignored)) < given.minAvailable) return invalid;
  const sum = samples.reduce((total, usage) => total + usage, 0);
  return markModel(metric, { given, ready, usage: metric.algorithm === 'average' ? sum / ready : sum });
}

function isIgnoredFor(kind: string, { phase, ready, started, usage }: CasePod, delay: number): boolean {
  if (phase === 'Failed' || phase === 'Pending') return true;
  if (usage === null || kind !== 'cpu') return false;
  return ready === null || started === null || ready.status === 'False' || started < delay;
}

interface Comparison {
  readonly given: WatermarkCase;
  readonly ready: number;
  readonly usage: number;
}

/** Sections 5.5 and 5.6, in the float order that they name. */
function markModel({ high, low, tolerance }: CaseMetric, { given, ready, usage }: Comparison): MetricModel {
  const spec = given.current;
  if (usage > high + Math.trunc((high * tolerance) / 1_000)) {
    if (high === 0) return invalid;
    const count = roundUp(Math.min(maximum, Math.ceil((ready * usage) / high)), given.step);
    return { ...neutral, proposal: Math.max(count, spec), ready, position: 'above' };
  }
  if (usage < low - Math.trunc((low * tolerance) / 1_000)) {
    if (low === 0) return invalid;
    const count = roundUp(Math.max(1, Math.floor((ready * usage) / low)), given.step);
    return { ...neutral, proposal: Math.min(count, spec), ready, position: 'below' };
  }
  const proposal = convergeModel({ high, low }, { given, ready, usage });
  return { ...neutral, proposal, ready, position: 'stable', isConverging: proposal !== spec };
}

function convergeModel(
  { high, low }: Pick<CaseMetric, 'high' | 'low'>,
  { given, ready, usage }: Comparison,
): number {
  const spec = given.current;
  const cap = (count: number): number => Math.max(Math.max(1, given.min), Math.min(count, given.max));
  if (given.converge === 'HighWatermark') {
    const least = high === 0 ? spec : cap(Math.ceil((ready / high) * usage));
    const next = Math.max(spec - given.step, 1);
    return next < least ? spec : next;
  }
  if (given.converge === 'LowWatermark') {
    const most = low === 0 ? spec : cap(Math.floor((ready / low) * usage));
    const next = spec + given.step;
    return next > most ? spec : next;
  }
  return spec;
}

/** The next multiple of the step, of the count and not of the change. */
function roundUp(count: number, step: number): number {
  return Math.min(maximum, Math.ceil(count / step) * step);
}
