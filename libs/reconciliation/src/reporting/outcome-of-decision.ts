import type { Condition, Decision } from '#decision';
import type { HpaCondition } from '#ledger';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import type { Plan } from '../plan/plan-write.ts';
import { describeCause, describeScaling, type ScalingCause } from './describe-scaling.ts';

/** What a recorded decision that led to no write came to. */
export function outcomeOfDecision(
  decision: Decision,
  plan: Plan,
  cause: Omit<ScalingCause, 'restored'>,
): PassOutcome {
  if (plan.kind === 'Withheld')
    return outcomeOfWithheld(describeScaling(decision, { ...cause, restored: plan.restored ?? null }), plan);
  if (plan.kind === 'Native') return outcomeOfNative(plan);
  if (decision.action === 'Hold') return outcomeOfHold(decision);
  return { kind: 'Done', reason: 'Unchanged', message: `decides again: ${describeCause(decision)}` };
}

function outcomeOfWithheld(change: string, plan: Plan & { readonly kind: 'Withheld' }): PassOutcome {
  const { reason } = plan;
  // As the pass that was refused said it.
  if (reason === 'WriteRefused') return { kind: 'Stalled', reason, message: plan.message };
  const message = `${change}  ${plan.message}`;
  switch (reason) {
    case 'IntervalNotElapsed':
    case 'LossUnconfirmed':
      return { kind: 'Done', reason: 'Unchanged', message };
    case 'DryRun':
    case 'Observing':
      return { kind: 'Done', reason, message };
    case 'FieldNotSupported':
    case 'Conflict':
    case 'Contested':
      return { kind: 'Stalled', reason, message };
    default:
      return { kind: 'Waiting', reason, message };
  }
}

/** What the native controller cannot do the policy waits for, in its words. */
function outcomeOfNative({ live, departures }: Extract<Plan, { readonly kind: 'Native' }>): PassOutcome {
  const trouble = live.status?.conditions.find(isTrouble);
  if (trouble !== undefined) {
    const message = `HorizontalPodAutoscaler ${live.name}: ${trouble.message} (HPA-managed)`;
    return { kind: 'Waiting', reason: trouble.reason, message };
  }
  const message = [`HorizontalPodAutoscaler ${live.name} is as the policy says (HPA-managed)`, ...departures];
  return { kind: 'Done', reason: 'Unchanged', message: message.join('; ') };
}

/** A target that a person scaled to zero is no trouble. */
function isTrouble({ type, status, reason }: HpaCondition): boolean {
  const isVital = type === 'AbleToScale' || type === 'ScalingActive';
  return isVital && status === 'False' && reason !== 'ScalingDisabled';
}

function outcomeOfHold(decision: Decision): PassOutcome {
  const reason = decision.conditions.find(isCause)?.reason;
  const last = decision.steps.at(-1);
  const message = last === undefined ? `holds: ${decision.reason}` : `holds by ${last.rule}: ${last.because}`;
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
