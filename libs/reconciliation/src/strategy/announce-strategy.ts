import type { DecideOutput } from '#decision';
import type { Pass } from '../pass/pass.ts';
import type { UnansweredStrategy } from '../pass/policy-runtime.ts';
import type { ScaleState } from '../ports/scale.port.ts';
import { strategyChangesOf, type StrategyOutput } from './strategy-changes.ts';
import { strategySubjectOf } from './strategy-subject.ts';

/**
 * What a pass has to record of how its policy is carried out. While earlier changes are in doubt that is nothing: the
 * next would be told from the wrong state.
 */
export function strategyAfter({ runtime, options }: Pass, { memory }: DecideOutput): StrategyOutput {
  const { recordedStrategy: recorded, version, unansweredStrategy } = runtime;
  if (unansweredStrategy !== null) return { changes: [], recorded };
  const requested = memory.selectionStrategy ?? null;
  return strategyChangesOf({ recorded, version, requested, settings: options.settings });
}

/** Puts changes in doubt before they may be stored, until that is known; null: there are none. */
export function announceStrategy(
  pass: Pass,
  strategy: StrategyOutput,
  seen: { readonly scale: ScaleState | null; readonly time: string },
): UnansweredStrategy | null {
  if (strategy.changes.length === 0) return null;
  const subject = strategySubjectOf(pass, seen.scale);
  const announced = { ...strategy, subject, time: seen.time };
  pass.runtime.unansweredStrategy = announced;
  return announced;
}
