import { type Rule, startEvaluation } from './evaluation/evaluation.ts';
import { finishEvaluation } from './evaluation/finish-evaluation.ts';
import type { DecideInput } from './model/decide-input.ts';
import type { DecideOutput } from './model/decision.ts';
import type { ObservationFailure } from './model/observation.ts';
import { bounds } from './rules/bounds.ts';
import { clock } from './rules/clock.ts';
import { delay } from './rules/delay.ts';
import { disabled, isDisabled } from './rules/disabled.ts';
import { dryRun } from './rules/dry-run.ts';
import { forbiddenWindow } from './rules/forbidden-window.ts';
import { legacyLimit } from './rules/legacy-limit.ts';
import { isBlocked, lifecycle } from './rules/lifecycle.ts';
import { metrics } from './rules/metrics.ts';
import { minMax } from './rules/min-max.ts';
import { minMaxCorrection } from './rules/min-max-correction.ts';
import { override } from './rules/override.ts';
import { paused } from './rules/paused.ts';
import { ratePolicies } from './rules/rate-policies.ts';
import { scaleReadable } from './rules/scale-readable.ts';
import { scaleUnreadable } from './rules/scale-unreadable.ts';
import { selector } from './rules/selector.ts';
import { stabilization } from './rules/stabilization.ts';
import { statusLag } from './rules/status-lag.ts';
import { stopDirections } from './rules/stop-directions.ts';
import { velocity } from './rules/velocity.ts';
import { isReadable } from './selection/select-pods.ts';

/** The rules that decide, in order. */
const deciding: readonly Rule[] = [
  disabled,
  bounds,
  lifecycle,
  scaleReadable,
  clock,
  paused,
  minMaxCorrection,
  statusLag,
  selector,
  metrics,
  stabilization,
  ratePolicies,
  legacyLimit,
  velocity,
  forbiddenWindow,
  delay,
];

/** The rules of people and of the final bounds, which act after all others. */
const intervening: readonly Rule[] = [override, minMax, stopDirections, dryRun];

/**
 * Decides how many replicas a target should have, says why, and returns the memory for the next decision. Pure: the
 * same input gives the same output, down to the bytes of its JSON. It never throws on an input that
 * `parseDecideInput` returned; where it cannot decide, the action is `Hold`.
 *
 * @see docs/spec/decision-contract.md
 */
export function decide(input: DecideInput): DecideOutput {
  const { scale } = input.observation;
  if (!isReadable(scale)) return decideUnread(input, scale);
  const evaluation = startEvaluation(input, scale);
  for (const rule of deciding) {
    const outcome = rule(evaluation);
    if (outcome === 'end') return finishEvaluation(evaluation);
    if (outcome === 'conclude') break;
  }
  for (const rule of intervening) rule(evaluation);
  return finishEvaluation(evaluation);
}

/** Without a scale there is no count to decide about; a disabled or blocked policy is reported first. */
function decideUnread(input: DecideInput, failure: ObservationFailure): DecideOutput {
  const evaluation = startEvaluation(input, { specReplicas: null });
  if (!isDisabled(evaluation) && !isBlocked(evaluation)) scaleUnreadable(evaluation, failure);
  return finishEvaluation(evaluation);
}
