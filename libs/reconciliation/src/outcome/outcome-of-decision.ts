import type { Condition, Decision } from '#decision';
import type { PolicyOrigin } from '../active-policy.ts';
import type { Plan } from '../write/plan-write.ts';
import { describeCause, describeScaling } from './describe-scaling.ts';
import type { PassOutcome } from './pass-outcome.ts';

/** What a recorded decision that led to no write came to. */
export function outcomeOfDecision(decision: Decision, plan: Plan, origin: PolicyOrigin): PassOutcome {
  if (plan.kind === 'Withheld') return outcomeOfWithheld(describeScaling(decision, origin), plan);
  if (decision.action === 'Hold') return outcomeOfHold(decision);
  return { kind: 'Done', reason: 'Unchanged', message: `decides again: ${describeCause(decision)}` };
}

function outcomeOfWithheld(change: string, plan: Plan & { readonly kind: 'Withheld' }): PassOutcome {
  const { reason } = plan;
  const message = `${change}  ${plan.message}`;
  switch (reason) {
    case 'DryRun':
    case 'Observing':
      return { kind: 'Done', reason, message };
    case 'HpaNotRendered':
    case 'Conflict':
      return { kind: 'Stalled', reason, message };
    case 'CompetitorsUnknown':
    case 'PodsUnknown':
    case 'RestoreDelayed':
      return { kind: 'Waiting', reason, message };
  }
}

function outcomeOfHold(decision: Decision): PassOutcome {
  const reason = decision.conditions.find(isCause)?.reason;
  const message = `holds: ${decision.steps.at(-1)?.because ?? decision.reason}`;
  if (reason === 'InvalidSelector' || reason === 'AmbiguousSelector')
    return { kind: 'Stalled', reason, message };
  if (reason === 'FailedGetScale') return { kind: 'Failed', reason, message };
  return { kind: 'Waiting', reason: reason ?? 'Holding', message };
}

/** The condition that says why a pass holds; the scale comes before the metrics. */
function isCause({ type, status }: Condition): boolean {
  if (type === 'ScalingBlocked') return status === 'True';
  return (type === 'AbleToScale' || type === 'ScalingActive') && status === 'False';
}
