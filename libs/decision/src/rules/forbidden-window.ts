import { addSeconds, compareInstants } from '#kernel';
import { type Evaluation, type RuleOutcome, step, toBounds } from '../evaluation/evaluation.ts';
import { instantOf } from '../model/instant-of.ts';

/**
 * After any scaling a direction rests for its window. Without a last scaling no window runs; a window is over when
 * time − lastScaleTime reaches it.
 *
 * @see docs/spec/watermark-rules.md "Forbidden windows"
 */
export function forbiddenWindow(evaluation: Evaluation): RuleOutcome {
  const { policy, present, count } = evaluation;
  // In the HPA family no window delays scaling from zero.
  if (!evaluation.isWatermark && present === 0) return 'next';
  const up = policy.behavior.scaleUp.forbiddenWindowSeconds;
  const down = policy.behavior.scaleDown.forbiddenWindowSeconds;
  const running: Running = { up: isRunning(evaluation, up), down: isRunning(evaluation, down) };
  if (!running.up && !running.down) return 'next';
  setBackoff(evaluation, running);
  // Bounds stand before windows: where they keep the present count, no window has anything to stop.
  if (toBounds(count, evaluation.bounds) === present) return 'next';
  const direction = count > present ? 'up' : 'down';
  if (!running[direction]) return 'next';
  const seconds = String(direction === 'up' ? up : down);
  const because = `scaling ${direction} waits for ${seconds} s after the last scaling, which was at ${String(evaluation.memory.lastScaleTime)}`;
  step(evaluation, 'forbidden-window', { after: present, because });
  evaluation.reason = 'A forbidden window keeps the present count';
  return 'next';
}

/** Which directions rest. */
interface Running {
  readonly up: boolean;
  readonly down: boolean;
}

function isRunning({ now, memory }: Evaluation, seconds = 0): boolean {
  const last = instantOf(memory.lastScaleTime);
  return last !== undefined && seconds > 0 && compareInstants(now, addSeconds(last, seconds)) < 0;
}

/** AbleToScale is False as long as a window runs; scaling in the other direction sets it True again. */
function setBackoff(evaluation: Evaluation, { up, down }: Running): void {
  const oneWay = up ? 'BackoffUpscale' : 'BackoffDownscale';
  const reason = up && down ? 'BackoffBoth' : oneWay;
  const message = 'the time since the previous scaling is still within a forbidden window';
  evaluation.conditions.set('AbleToScale', { status: 'False', reason, message });
  evaluation.isAbleToScaleOpen = false;
}
