import type { Action, Condition } from '../model/decision.ts';
import type { RememberedCondition } from '../model/memory.ts';

/** Conditions without the message, which the next pass does not need. */
export function remember(conditions: readonly Condition[]): readonly RememberedCondition[] {
  return conditions.map(({ type, status, reason, lastTransitionTime }) => ({
    type,
    status,
    reason,
    lastTransitionTime,
  }));
}

/** Whether an action changes the target's count. */
export function isScaling(action: Action): action is 'ScaleUp' | 'ScaleDown' {
  return action === 'ScaleUp' || action === 'ScaleDown';
}
