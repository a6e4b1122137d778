import { err, formatMilli, ok, type Result, toMilli } from '#kernel';
import type { WatermarkTarget } from '#policy';
import type { Position, TrailStep, ValidMetric } from '../evaluation/evaluated-metric.ts';
import { maxReplicas, toReplicas } from './exact-sum.ts';
import type { MetricContext } from './metric-context.ts';

/** A value to compare with its watermarks. */
export interface WatermarkValue {
  /** Thousandths as float64: the total, or the total per ready pod. */
  readonly usage: number;
  /** Ready pods, at least 1. */
  readonly ready: number;
  readonly target: WatermarkTarget;
  /** The value's text in explanations. */
  readonly figures: string;
}

export type WatermarkOutcome = Pick<ValidMetric, 'proposal' | 'position' | 'convergence' | 'explain'>;

/**
 * Compares a value with its watermarks and proposes a count, in float64 and in exactly the original's order. The
 * divisor is the watermark itself; the tolerance only decides whether to act. A watermark of 0 that would have to divide
 * is an error. Example: 3 ready, total 30, watermarks 5 and 8 per workload: 30 > 8 + 10 %, so ceil(3 × 30 / 8) = 12.
 *
 * @see https://github.com/DataDog/watermarkpodautoscaler
 */
export function compareWithWatermarks(
  context: MetricContext,
  value: WatermarkValue,
): Result<WatermarkOutcome, string> {
  const { highMilli, lowMilli, toleranceMilli } = value.target;
  const tolerance = BigInt(toleranceMilli);
  const above = highMilli + (highMilli * tolerance) / 1000n;
  const below = lowMilli - (lowMilli * tolerance) / 1000n;
  if (value.usage > Number(above))
    return highMilli === 0n ? err(zeroWatermark('high')) : ok(grow(context, { ...value, edge: above }));
  if (value.usage < Number(below))
    return lowMilli === 0n ? err(zeroWatermark('low')) : ok(shrink(context, { ...value, edge: below }));
  return ok(converge(context, { ...value, above, below }));
}

function grow(context: MetricContext, value: WatermarkValue & { edge: bigint }): WatermarkOutcome {
  const { usage, ready, target, figures, edge } = value;
  const { present } = context.evaluation;
  const raw = toReplicas(Math.ceil((ready * usage) / Number(target.highMilli)));
  const because = `${figures} is above the high watermark ${formatWatermark(target.highMilli)} with its tolerance (${formatWatermark(edge)}): ${ready} ready pods × ${figures} / ${formatWatermark(target.highMilli)}`;
  const stepped = roundUp(context, raw);
  return proposed(context, {
    raw,
    stepped,
    proposal: Math.max(stepped, present),
    position: 'above',
    because,
  });
}

function shrink(context: MetricContext, value: WatermarkValue & { edge: bigint }): WatermarkOutcome {
  const { usage, ready, target, figures, edge } = value;
  const { present } = context.evaluation;
  const raw = Math.max(1, toReplicas(Math.floor((ready * usage) / Number(target.lowMilli))));
  const because = `${figures} is below the low watermark ${formatWatermark(target.lowMilli)} with its tolerance (${formatWatermark(edge)}): ${ready} ready pods × ${figures} / ${formatWatermark(target.lowMilli)}, at least 1`;
  const stepped = roundUp(context, raw);
  return proposed(context, {
    raw,
    stepped,
    proposal: Math.min(stepped, present),
    position: 'below',
    because,
  });
}

interface Proposed {
  readonly raw: number;
  readonly stepped: number;
  readonly proposal: number;
  readonly position: Position;
  readonly because: string;
}

function proposed(context: MetricContext, given: Proposed): WatermarkOutcome {
  const { raw, stepped, proposal, position, because } = given;
  return {
    proposal,
    position,
    convergence: 'NotConverging',
    explain: () => [
      { rule: 'proposal', after: raw, because },
      ...explainStep(context, { raw, stepped, proposal }),
    ],
  };
}

/** The effect of rounding to the step, and of never reversing the direction, on a raw proposal. */
export function explainStep(
  { evaluation }: MetricContext,
  { raw, stepped, proposal }: { raw: number; stepped: number; proposal: number },
): readonly TrailStep[] {
  if (proposal === raw) return [];
  const { present, policy } = evaluation;
  const step = policy.replicaStep;
  const rounding = stepped === raw ? '' : `rounded up to a multiple of ${step}`;
  const turning = proposal === stepped ? '' : `the direction never turns, so the present ${present} stay`;
  const because = [rounding, turning].filter((text) => text !== '').join('; ');
  return [{ rule: 'replica-step', after: proposal, because }];
}

/** To the next multiple of the step, of the count itself; saturates at 2³¹−1. */
export function roundUp({ evaluation }: MetricContext, count: number): number {
  const step = evaluation.policy.replicaStep;
  return Math.min(Math.ceil(count / step) * step, maxReplicas);
}

/**
 * Between the watermarks: stay, or take one step towards the one that the policy converges to.
 *
 * @see docs/spec/watermark-rules.md "Converging"
 */
function converge(
  context: MetricContext,
  value: WatermarkValue & { above: bigint; below: bigint },
): WatermarkOutcome {
  const { usage, ready, target, figures, above, below } = value;
  const { bounds, present } = context.evaluation;
  // As in the original the factors stand in another order than in the proposals: the last bit may differ.
  const low =
    target.highMilli === 0n ? present : capped(Math.ceil((ready / Number(target.highMilli)) * usage), bounds);
  const high =
    target.lowMilli === 0n ? present : capped(Math.floor((ready / Number(target.lowMilli)) * usage), bounds);
  const watermarks = `${figures}; watermarks ${formatWatermark(target.lowMilli)} to ${formatWatermark(target.highMilli)}`;
  const between = `with their tolerance the watermarks are ${formatWatermark(below)} to ${formatWatermark(above)}, and the value lies between them`;
  return stepTowards(context, {
    low,
    high,
    trail: [
      { rule: 'proposal', after: present, because: watermarks },
      { rule: 'tolerance', after: present, because: between },
    ],
  });
}

/** How far a step towards a watermark may go, and the steps that explain it so far. */
export interface Convergence {
  readonly low: number;
  readonly high: number;
  readonly trail: readonly TrailStep[];
}

/** One step towards a watermark where that does not overshoot it, else the present count. */
export function stepTowards(context: MetricContext, { low, high, trail }: Convergence): WatermarkOutcome {
  const { convergeTowards } = context.evaluation.policy;
  const { present } = context.evaluation;
  const step = convergeTowards === undefined ? null : nextStep(context, { low, high, convergeTowards });
  const proposal = step?.isTaken === true ? step.count : present;
  const isConverging = proposal !== present;
  return {
    proposal,
    position: 'stable',
    convergence: isConverging ? 'Converging' : 'NotConverging',
    explain: () =>
      step === null ? trail : [...trail, { rule: 'converge', after: proposal, because: step.because }],
  };
}

interface NextStep {
  readonly count: number;
  readonly isTaken: boolean;
  readonly because: string;
}

function nextStep(
  { evaluation }: MetricContext,
  given: { low: number; high: number; convergeTowards: 'HighWatermark' | 'LowWatermark' },
): NextStep {
  const { low, high, convergeTowards } = given;
  const { present, policy } = evaluation;
  const step = policy.replicaStep;
  if (convergeTowards === 'HighWatermark') {
    const count = Math.max(present - step, 1);
    const isTaken = count >= low;
    const because = `towards the high watermark ${count} replicas would do; the mark allows no fewer than ${low}`;
    return { count, isTaken, because };
  }
  const count = Math.min(present + step, maxReplicas);
  const because = `towards the low watermark ${count} replicas would do; the mark allows no more than ${high}`;
  return { count, isTaken: count <= high, because };
}

function capped(count: number, { min, max }: { min: number; max: number }): number {
  return Math.max(min, Math.min(toReplicas(count), max));
}

function formatWatermark(milli: bigint): string {
  return formatMilli(toMilli(milli));
}

function zeroWatermark(which: 'high' | 'low'): string {
  return `the ${which} watermark is 0, so no count can be computed from a value beyond it`;
}
