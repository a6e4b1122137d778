import type { CaseCondition, CaseLimits, WatermarkCase } from './watermark-case.ts';

/** What the windows and delays allow, and what AbleToScale says about them. */
export interface GateModel {
  readonly mayGrow: boolean;
  readonly mayShrink: boolean;
  readonly backoff: 'BackoffBoth' | 'BackoffUpscale' | 'BackoffDownscale' | null;
}

interface Positions {
  readonly above: CaseCondition | null;
  readonly below: CaseCondition | null;
}

/** Sections 8.2 and 8.3, after the positions of this pass. */
export function gateModel(given: WatermarkCase, now: Positions): GateModel {
  const { lastScale } = given.memory;
  const isRunning = (window: number): boolean => lastScale !== null && lastScale < window;
  const isUpBlocked = isRunning(given.up.window ?? 60);
  const isDownBlocked = isRunning(given.down.window ?? 300);
  return {
    mayGrow: !isUpBlocked && hasWaited(given, { limits: given.up, condition: now.above, now }),
    mayShrink: !isDownBlocked && hasWaited(given, { limits: given.down, condition: now.below, now }),
    backoff: backoffOf(isUpBlocked, isDownBlocked),
  };
}

function backoffOf(isUpBlocked: boolean, isDownBlocked: boolean): GateModel['backoff'] {
  if (isUpBlocked && isDownBlocked) return 'BackoffBoth';
  if (isUpBlocked) return 'BackoffUpscale';
  return isDownBlocked ? 'BackoffDownscale' : null;
}

interface Waiting {
  readonly limits: CaseLimits;
  readonly condition: CaseCondition | null;
  readonly now: Positions;
}

function hasWaited(given: WatermarkCase, { limits, condition, now }: Waiting): boolean {
  const delay = limits.delay ?? 0;
  const isStable = now.above?.status === 'False' && now.below?.status === 'False';
  if (delay === 0 || isFirst(given) || isStable) return true;
  return condition?.status === 'True' && Math.floor(condition.age) >= delay;
}

function isFirst({ memory }: WatermarkCase): boolean {
  return memory.lastScale === null && memory.above === null && memory.below === null;
}
