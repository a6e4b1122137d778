import { type Condition, conditionMessage, type Decision, type Memory, rememberedMessage } from '#decision';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import type { ConditionState } from '../outcome/policy-conditions.ts';
import type { NativeAutoscaler } from '../ports/native-autoscalers.port.ts';

/** What a pass knows of the conditions that upstream has, too. */
export interface UpstreamSighting {
  readonly decision: Decision;
  /** After the pass: a write that was made, or failed, changes conditions of the decision. */
  readonly memory: Memory;
  readonly outcome: PassOutcome;
  /** Of the target after the pass; null: not known. */
  readonly replicas: number | null;
  /** Those there were. */
  readonly before: (type: string) => Condition | undefined;
}

/** Upstream's conditions after a pass: those of its decision, as the write has changed them. */
export function upstreamConditions(seen: UpstreamSighting): readonly Condition[] {
  const decided = new Map(seen.decision.conditions.map((condition) => [condition.type, condition]));
  const remembered = seen.memory.conditions ?? [];
  return remembered.map(({ type, status, reason, lastTransitionTime }) => {
    const known = decided.get(type);
    const isDecided = known !== undefined && known.status === status && known.reason === reason;
    if (isDecided) return withMessage(known, seen.before(type));
    const time = lastTransitionTime ?? seen.decision.time;
    return {
      type,
      status,
      reason: reason ?? '',
      message: messageOf(reason ?? '', seen),
      lastTransitionTime: time,
    };
  });
}

/** A rule that did not look again left the condition as it was, and its sentence, too. */
function withMessage(condition: Condition, before: Condition | undefined): Condition {
  if (condition.message !== rememberedMessage) return condition;
  const isSame = before?.status === condition.status && before.reason === condition.reason;
  return { ...condition, message: isSame ? before.message : conditionMessage(condition) };
}

function messageOf(reason: string, { outcome, replicas }: UpstreamSighting): string {
  const size = replicas ?? 'the desired count';
  switch (reason) {
    case 'SucceededRescale':
      return `the HPA controller was able to update the target scale to ${size}`;
    case 'SuccessfulScale':
      return `the WPA controller was able to update the target scale to ${size}`;
    case 'FailedUpdateScale':
      return `the HPA controller was unable to update the target scale: ${outcome.message}`;
    default:
      return conditionMessage({ reason, message: rememberedMessage });
  }
}

/**
 * Upstream's conditions as the native controller sets them on the policy's HPA. While it has set none, nobody is known
 * to act on the HPA: what the decision found possible is not known to be done.
 */
export function nativeConditions(
  { status, name }: NativeAutoscaler,
  decided: readonly Condition[],
): readonly ConditionState[] {
  const said = status?.conditions ?? [];
  if (said.length === 0) return unobserved(name, decided);
  return said.map(({ type, status: value, reason, message }) => ({
    type,
    status: value === 'True' || value === 'False' ? value : 'Unknown',
    reason,
    message: `${message === '' ? `as HorizontalPodAutoscaler ${name} says` : message} (HPA-managed)`,
  }));
}

function unobserved(name: string, decided: readonly Condition[]): readonly ConditionState[] {
  const claims = decided.filter(
    ({ type, status }) => (type === 'AbleToScale' || type === 'ScalingActive') && status === 'True',
  );
  const message = `the native controller has not looked at HorizontalPodAutoscaler ${name} yet (HPA-managed)`;
  return claims.map(({ type }) => ({ type, status: 'Unknown', reason: 'NotObserved', message }));
}
