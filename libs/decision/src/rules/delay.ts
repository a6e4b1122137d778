import { parseInstant, wholeSecondsBetween } from '#kernel';
import { type Evaluation, type RuleOutcome, step } from '../evaluation/evaluation.ts';

/**
 * A value has to stay beyond its watermark for a while before the count changes in its direction. The timers are the
 * transition times of AboveHighWatermark and BelowLowWatermark; a delay is over when the whole seconds since then reach
 * it. While no value is beyond, and on the very first evaluation, nothing is delayed.
 *
 * @see docs/spec/watermark-rules.md "Delays"
 */
export function delay(evaluation: Evaluation): RuleOutcome {
  const { isWatermark, present, count } = evaluation;
  if (!isWatermark || count === present) return 'next';
  const timer = count > present ? upTimer(evaluation) : downTimer(evaluation);
  if (timer.seconds === 0 || isStable(evaluation) || isFirstEvaluation(evaluation)) return 'next';
  const elapsed = secondsSince(evaluation, timer.condition);
  if (elapsed !== null && elapsed >= timer.seconds) return 'next';
  const since = elapsed === null ? 'none is' : `one has been for ${elapsed} s`;
  const because = `scaling ${timer.direction} waits until a value has been ${timer.beyond} watermark for ${timer.seconds} s; ${since}`;
  step(evaluation, 'delay', { after: present, because });
  evaluation.reason = 'A delay keeps the present count';
  return 'next';
}

interface Timer {
  readonly seconds: number;
  readonly condition: 'AboveHighWatermark' | 'BelowLowWatermark';
  readonly direction: 'up' | 'down';
  readonly beyond: string;
}

function upTimer({ policy }: Evaluation): Timer {
  const seconds = policy.behavior.scaleUp.delaySeconds ?? 0;
  return { seconds, condition: 'AboveHighWatermark', direction: 'up', beyond: 'above its high' };
}

function downTimer({ policy }: Evaluation): Timer {
  const seconds = policy.behavior.scaleDown.delaySeconds ?? 0;
  return { seconds, condition: 'BelowLowWatermark', direction: 'down', beyond: 'below its low' };
}

function isStable({ conditions }: Evaluation): boolean {
  return !conditions.isTrue('AboveHighWatermark') && !conditions.isTrue('BelowLowWatermark');
}

function isFirstEvaluation({ memory }: Evaluation): boolean {
  const { lastScaleTime, conditions } = memory;
  const isKnown = (conditions ?? []).some(
    ({ type }) => type === 'AboveHighWatermark' || type === 'BelowLowWatermark',
  );
  return (lastScaleTime === null || lastScaleTime === undefined) && !isKnown;
}

/** Whole seconds since a condition became True; null: it is not. */
function secondsSince({ conditions, now }: Evaluation, type: string): number | null {
  const condition = conditions.get(type);
  if (condition?.status !== 'True') return null;
  const since = parseInstant(condition.lastTransitionTime);
  return since === undefined ? 0 : wholeSecondsBetween(since, now);
}
