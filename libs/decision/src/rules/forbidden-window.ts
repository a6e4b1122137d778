import { addSeconds, compareInstants } from '#kernel';
import { instantOf } from '../metrics/pod-readings.ts';
import { step, type Pass, type Verdict } from '../pass/pass.ts';

/**
 * After any scaling a direction rests for its window. Without a last scaling no window runs; a window is over when
 * time − lastScaleTime reaches it (wpa.md 8.2).
 */
export function forbiddenWindow(pass: Pass): Verdict {
  const { policy, isWatermark, input } = pass;
  const current = pass.current ?? 0;
  // Scaling from zero passes by.
  if (!isWatermark && current === 0) return 'next';
  const { scaleUp, scaleDown } = policy.behavior;
  const last = input.memory.lastScaleTime ?? null;
  const isUpBlocked = isRunning(pass, last, scaleUp.forbiddenWindowSeconds);
  const isDownBlocked = isRunning(pass, last, scaleDown.forbiddenWindowSeconds);
  if (!isUpBlocked && !isDownBlocked) return 'next';
  setBackoff(pass, { isUpBlocked, isDownBlocked });
  const desired = pass.count ?? 0;
  const isBlocked = desired > current ? isUpBlocked : desired < current && isDownBlocked;
  if (!isBlocked) return 'next';
  const seconds = (desired > current ? scaleUp : scaleDown).forbiddenWindowSeconds ?? 0;
  const because = `the last scaling was at ${last ?? ''}, less than the ${seconds} s ago that scaling ${desired > current ? 'up' : 'down'} waits`;
  step(pass, 'forbidden-window', { after: current, because });
  pass.keepReason = 'A forbidden window keeps the present count';
  return 'next';
}

function isRunning({ now }: Pass, last: string | null, seconds = 0): boolean {
  const instant = instantOf(last);
  return instant !== undefined && seconds > 0 && compareInstants(now, addSeconds(instant, seconds)) < 0;
}

/** False as long as a window runs; a pass that scales in the other direction sets it True again. */
function setBackoff(pass: Pass, running: { isUpBlocked: boolean; isDownBlocked: boolean }): void {
  const { isUpBlocked, isDownBlocked } = running;
  const reason = isUpBlocked ? (isDownBlocked ? 'BackoffBoth' : 'BackoffUpscale') : 'BackoffDownscale';
  const message = 'the time since the previous scaling is still within a forbidden window';
  pass.conditions.set('AbleToScale', { status: 'False', reason, message });
  pass.isAbleToScaleOpen = false;
}
