import type { PassOutcome } from './pass-outcome.ts';

/** The policy's own condition: `True` done, `Unknown` waiting, `False` stalled or failed. */
export interface ReadyCondition {
  readonly type: 'Ready';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** The condition that an outcome becomes. Pure; {@link outcomeOfReady} is the way back. */
export function readyConditionOf(outcome: PassOutcome): ReadyCondition {
  const { reason, message } = outcome;
  return { type: 'Ready', status: statusOf(outcome), reason, message };
}

function statusOf({ kind }: PassOutcome): ReadyCondition['status'] {
  if (kind === 'Done') return 'True';
  return kind === 'Waiting' ? 'Unknown' : 'False';
}
