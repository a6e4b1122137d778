import type { Decision } from '#decision';
import type { EffectivePolicy } from '#policy';
import type { NativeAutoscaler } from '../ports/native-autoscalers.port.ts';

/** Whether the controller writes at all: the configuration's `mode`. */
export type ControllerMode = 'Observe' | 'Act';

/** What a plan is made from. */
export interface PlanInput {
  readonly policy: EffectivePolicy;
  readonly decision: Decision;
  readonly mode: ControllerMode;
  /** A live HPA on the policy's own target. */
  readonly rival: NativeAutoscaler | null;
  /** Whether every policy of the namespace has looked at its pods since the start. */
  readonly competitors: 'Known' | 'Unknown';
}

/** Why a decided change is not written. */
type WithheldReason = 'DryRun' | 'Observing' | 'HpaNotRendered' | 'Conflict' | 'CompetitorsUnknown';

/** What is to be done with a decision. */
export type Plan =
  | { readonly kind: 'Write'; readonly from: number; readonly to: number }
  | { readonly kind: 'Nothing' }
  | { readonly kind: 'Withheld'; readonly reason: WithheldReason; readonly message: string };

/** Turns a decision into a write, or says why there is none. Pure; deciding anew is never its business. */
export function planWrite(input: PlanInput): Plan {
  const { currentReplicas: from, desiredReplicas: to } = input.decision;
  if (from === null || to === null || from === to) return { kind: 'Nothing' };
  return withheldBy(input) ?? { kind: 'Write', from, to };
}

function withheldBy(input: PlanInput): Plan | null {
  const { policy, mode, rival } = input;
  if (policy.dryRun) return withheld('DryRun', 'not written: dry run');
  if (mode === 'Observe') return withheld('Observing', 'not written: mode Observe');
  if (policy.actuation === 'HorizontalPodAutoscaler') {
    return withheld(
      'HpaNotRendered',
      'not written: decided as the native HPA would, and this version renders none',
    );
  }
  if (rival !== null) return withheld('Conflict', conflictMessage(rival));
  return mayHideCompetitors(input)
    ? withheld('CompetitorsUnknown', 'not written yet: first every policy of the namespace looks at its pods')
    : null;
}

/** Pods shared with a policy that has not looked yet would count as ours alone; only shrinking on that is dangerous. */
function mayHideCompetitors({ policy, decision, competitors }: PlanInput): boolean {
  return (
    competitors === 'Unknown' &&
    decision.action === 'ScaleDown' &&
    decision.selection.effective === 'LabelSelector' &&
    !policy.sharedSelectorAllowed
  );
}

function conflictMessage({ name, manager }: NativeAutoscaler): string {
  const by = manager === null ? '' : `, applied by ${manager},`;
  return `not written: HorizontalPodAutoscaler ${name}${by} scales the same target; delete one of the two`;
}

function withheld(reason: WithheldReason, message: string): Plan {
  return { kind: 'Withheld', reason, message };
}
