import type { DryDecision } from '#contracts';
import type { Decision } from '#decision';
import { explainDecision, type Paint } from '../decision/explain-decision.ts';

/** The waterfall with other bounds, and what was decided in its place. */
export function showWhatIf({ recorded, ...dry }: DryDecision, paint: Paint): string {
  // The wire has the shapes of the decision contract.
  const decision = { ...recorded, ...dry } as unknown as Decision;
  const was = `${recorded.currentReplicas ?? '?'} → ${recorded.desiredReplicas ?? '?'}  ${recorded.action}: ${recorded.reason}`;
  return `${explainDecision({ decision, departures: [] }, paint)}\n\nrecorded  ${recorded.time}  ${was}\n`;
}
