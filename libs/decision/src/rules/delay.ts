import { parseInstant, wholeSecondsBetween } from '#kernel';
import { step, type Pass, type Verdict } from '../pass/pass.ts';

/**
 * A value has to stay outside its mark for a while before the count changes in its direction. The timers are the
 * transition times of AboveHighWatermark and BelowLowWatermark; a delay is over when the whole seconds since reach it
 * (wpa.md 8.3). While no value is outside, and on the very first evaluation, nothing is delayed.
 */
export function delay(pass: Pass): Verdict {
  const { policy, isWatermark, conditions } = pass;
  const current = pass.current ?? 0;
  const desired = pass.count ?? 0;
  if (!isWatermark || desired === current) return 'next';
  const isUp = desired > current;
  const seconds = (isUp ? policy.behavior.scaleUp : policy.behavior.scaleDown).delaySeconds ?? 0;
  const isStable = !conditions.isTrue('AboveHighWatermark') && !conditions.isTrue('BelowLowWatermark');
  if (seconds === 0 || isStable || isFirstEvaluation(pass)) return 'next';
  const type = isUp ? 'AboveHighWatermark' : 'BelowLowWatermark';
  const elapsed = secondsSince(pass, type);
  if (elapsed !== null && elapsed >= seconds) return 'next';
  const since =
    elapsed === null ? `no value is ${isUp ? 'above' : 'below'} its mark` : `a value is so for ${elapsed} s`;
  step(pass, 'delay', {
    after: current,
    because: `scaling ${isUp ? 'up' : 'down'} waits until a value has been ${isUp ? 'above its high' : 'below its low'} watermark for ${seconds} s; ${since}`,
  });
  pass.keepReason = 'A delay keeps the present count';
  return 'next';
}

function isFirstEvaluation({ input }: Pass): boolean {
  const { lastScaleTime, conditions } = input.memory;
  const isKnown = (conditions ?? []).some(
    ({ type }) => type === 'AboveHighWatermark' || type === 'BelowLowWatermark',
  );
  return (lastScaleTime === null || lastScaleTime === undefined) && !isKnown;
}

/** Whole seconds since a condition became True; null: it is not. */
function secondsSince({ conditions, now }: Pass, type: string): number | null {
  const condition = conditions.get(type);
  if (condition?.status !== 'True') return null;
  const since = parseInstant(condition.lastTransitionTime);
  return since === undefined ? 0 : wholeSecondsBetween(since, now);
}
