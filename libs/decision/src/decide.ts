import type { DecideInput } from './model/decide-input.ts';
import type { DecideOutput } from './model/decision.ts';
import { finishPass } from './pass/finish-pass.ts';
import { type Rule, startPass } from './pass/pass.ts';
import { bounds } from './rules/bounds.ts';
import { delay } from './rules/delay.ts';
import { disabled } from './rules/disabled.ts';
import { forbiddenWindow } from './rules/forbidden-window.ts';
import { legacyLimit } from './rules/legacy-limit.ts';
import { lifecycle } from './rules/lifecycle.ts';
import { metrics } from './rules/metrics.ts';
import { minMax } from './rules/min-max.ts';
import { minMaxCorrection } from './rules/min-max-correction.ts';
import { override } from './rules/override.ts';
import { paused } from './rules/paused.ts';
import { ratePolicies } from './rules/rate-policies.ts';
import { scaleUnreadable } from './rules/scale-unreadable.ts';
import { selector } from './rules/selector.ts';
import { stabilization } from './rules/stabilization.ts';
import { statusLag } from './rules/status-lag.ts';
import { stopDirections } from './rules/stop.ts';
import { velocity } from './rules/velocity.ts';

/** What decides, in the order of a pass. A rule may conclude it, which leaves the interventions. */
const deciding: readonly Rule[] = [
  disabled,
  bounds,
  lifecycle,
  scaleUnreadable,
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

/** What people have put in the way, after everything else. */
const intervening: readonly Rule[] = [override, minMax, stopDirections];

/**
 * Decides how many replicas a target should have, says why, and returns the memory for the next pass. Pure: the same
 * input gives the same output, down to the bytes of its JSON. It never throws on an input that `parseDecideInput`
 * returned; a pass that cannot decide is a decision to hold.
 *
 * @see docs/spec/decision-contract.md
 */
export function decide(input: DecideInput): DecideOutput {
  const pass = startPass(input);
  for (const rule of deciding) {
    const verdict = rule(pass);
    if (verdict === 'end') return finishPass(pass);
    if (verdict === 'conclude') break;
  }
  for (const rule of intervening) rule(pass);
  return finishPass(pass);
}
