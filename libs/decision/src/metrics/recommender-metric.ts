import { formatMilli, maxInt64, type Milli, minInt64, parseQuantity, toMilli } from '#kernel';
import type { RecommenderSpec } from '#policy';
import {
  type CountedPods,
  invalidMetric,
  type MetricResult,
  type Position,
} from '../evaluation/evaluated-metric.ts';
import type {
  ObservationFailure,
  ObservedRecommendation,
  Optional,
  QuantityText,
} from '../model/observation.ts';
import { availability } from './availability.ts';
import { explainStep, roundUp, stepTowards, type WatermarkOutcome } from './compare-with-watermarks.ts';
import { maxReplicas } from './exact-sum.ts';
import type { MetricContext } from './metric-context.ts';
import { staleness } from './pod-readings.ts';
import { describeFailure, failureReasons } from './source-failure.ts';
import { zeroValue } from './watermark-value-metric.ts';

/** Characters of a recommendation's reason in a step. */
const maximumReasonLength = 200;

/**
 * A service's recommendation, as one more metric.
 *
 * @see docs/spec/watermark-rules.md "Recommender"
 */
export function recommenderMetric(context: MetricContext): MetricResult {
  const { recommendation } = context.evaluation.observation;
  const { pods, ready } = availability(context);
  if (recommendation === null || recommendation === undefined)
    return invalidMetric('the recommender was not asked', pods);
  if (isFailure(recommendation))
    return invalidMetric(describeFailure(recommendation.error, failureReasons.Recommender), pods);
  if (!ready.ok) return invalidMetric(ready.error, pods);
  return fromAnswer(context, { answer: recommendation, pods, ready: ready.value });
}

/** How a recommender is called in reports and reasons. */
export function recommenderName({ targetType, settings }: RecommenderSpec): string {
  const pairs = Object.keys(settings)
    .sort()
    .map((key) => `,${key}:${settings[key] ?? ''}`);
  return `recommender{targetType:${targetType}${pairs.join('')}}`;
}

interface Answer {
  readonly answer: ObservedRecommendation;
  readonly pods: CountedPods;
  readonly ready: number;
}

function fromAnswer(context: MetricContext, { answer, pods, ready }: Answer): MetricResult {
  const replicas = answer.replicas ?? -1;
  const observed = truncatedMilli(answer.observed);
  const fault = faultOf(context, { answer, observed });
  if (fault !== null || observed === undefined) return invalidMetric(fault ?? 'no value', pods);
  const current = { value: formatMilli(observed) };
  if (replicas === 0 && !context.evaluation.policy.tolerateZero)
    return zeroValue(context, { pods, ready, current, what: 'the recommendation' });
  const outcome = follow(context, {
    replicas: Math.min(replicas, maxReplicas),
    lower: answer.lowerBound ?? 0,
    upper: answer.upperBound ?? 0,
    why: whyOf(answer),
  });
  return { ok: true, current, pods, readyCount: ready, isZeroValue: false, ...outcome };
}

function faultOf(
  { evaluation }: MetricContext,
  { answer, observed }: { answer: ObservedRecommendation; observed: Milli | undefined },
): string | null {
  const { replicas, timestamp } = answer;
  if (replicas === null || replicas === undefined) return 'the recommendation names no replicas';
  if (replicas < 0) return `the recommendation names ${replicas} replicas`;
  if (staleness(evaluation)(timestamp)) return `the recommendation of ${String(timestamp)} is too old`;
  if (observed === undefined) return 'the observed value is no quantity within int64 milli-units';
  return null;
}

interface Recommended {
  readonly replicas: number;
  readonly lower: number;
  readonly upper: number;
  /** The service's own words, for the end of a sentence. */
  readonly why: string;
}

/** Quoted, since they come from outside. */
function whyOf({ reason }: ObservedRecommendation): string {
  return reason === null || reason === undefined || reason === ''
    ? ''
    : `: ${JSON.stringify(reason.slice(0, maximumReasonLength))}`;
}

function follow(context: MetricContext, { replicas, lower, upper, why }: Recommended): WatermarkOutcome {
  const { present } = context.evaluation;
  const figures = `${replicas} replicas are recommended, within ${lower} to ${upper}${why}`;
  if (replicas === present) {
    const trail = [{ rule: 'proposal', after: present, because: figures }] as const;
    return stepTowards(context, { low: lower, high: upper, trail });
  }
  const stepped = roundUp(context, replicas);
  const proposal = replicas > present ? Math.max(stepped, present) : Math.min(stepped, present);
  return {
    proposal,
    position: positionOf(present, { lower, upper }),
    convergence: 'NotConverging',
    explain: () => [
      { rule: 'proposal', after: replicas, because: figures },
      ...explainStep(context, { raw: replicas, stepped, proposal }),
    ],
  };
}

/** Each bound is looked at by itself, so an absent upper one hides no scaling up from its delay. */
function positionOf(present: number, { lower, upper }: Pick<Recommended, 'lower' | 'upper'>): Position {
  if (present > upper) return present < lower ? 'both' : 'below';
  return present < lower ? 'above' : 'stable';
}

function isFailure(answer: ObservedRecommendation | ObservationFailure): answer is ObservationFailure {
  return answer.error !== null && answer.error !== undefined;
}

/** The observed value cut toward zero to thousandths; absent it is 0. */
function truncatedMilli(text: Optional<QuantityText>): Milli | undefined {
  if (text === null || text === undefined) return 0;
  const quantity = parseQuantity(text);
  if (!quantity.ok) return undefined;
  const { mantissa, exponent } = quantity.value;
  if (exponent > 24) return mantissa === 0n ? 0 : undefined;
  const milli =
    exponent >= -3 ? mantissa * 10n ** BigInt(exponent + 3) : mantissa / 10n ** BigInt(-3 - exponent);
  return milli > maxInt64 || milli < minInt64 ? undefined : toMilli(milli);
}
