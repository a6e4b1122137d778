import type { Decision } from '#decision';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import type { ConditionState, PolicyConditions, UpstreamSource } from '../outcome/policy-conditions.ts';
import type { Pass } from '../pass/pass.ts';
import type { ActivePolicy } from '../policies/active-policy.ts';
import type { ScaleState } from '../ports/scale.port.ts';
import type { Decided } from '../record/record-decision.ts';
import { ownHpaOf } from '../reporting/event-subject.ts';
import { availableState, degradedState, progressingState, targetProgress } from './target-conditions.ts';
import { nativeConditions, upstreamConditions } from './upstream-conditions.ts';

/** What a pass came to, as far as conditions go. */
export interface ConditionSighting {
  readonly outcome: PassOutcome;
  /** Null: the pass did not come to decide. */
  readonly decided: Decided | null;
  /** The scale after the pass; null: it could not be read. */
  readonly scale: ScaleState | null;
  /** RFC 3339. */
  readonly time: string;
}

/**
 * Sets the conditions that follow from a pass, apart from those with reports of their own. What the pass did not come to
 * see stays as it was.
 *
 * @see docs/spec/reconciliation.md "Conditions of a policy"
 */
export function reportConditions(pass: Pick<Pass, 'ports' | 'runtime'>, seen: ConditionSighting): void {
  const { conditions } = pass.runtime;
  const { decided, time } = seen;
  setObstacles(conditions, seen);
  if (decided === null) return;
  setUpstream(pass, seen, decided.output.decision);
  const progressDeadlineSeconds = setProgress(pass, seen, decided);
  conditions.set(degradedState(conditions, { time, progressDeadlineSeconds }), time);
}

function setUpstream(
  { ports, runtime }: Pick<Pass, 'ports' | 'runtime'>,
  { outcome, scale, time }: ConditionSighting,
  decision: Decision,
): void {
  const { conditions, active } = runtime;
  if (!active.policy.enabled) {
    const { type } = disabledState;
    conditions.replaceUpstream([conditions.get(type) ?? []].flat());
    conditions.set(disabledState, time);
    return;
  }
  const replicas = scale?.specReplicas ?? null;
  const source = { decided: decision.conditions, remembered: runtime.kept.memory.conditions, replicas };
  const isRepeatable = outcome.reason === 'Unchanged' && !isNative(active);
  if (isRepeatable && conditions.areMadeOf(source)) return;
  setEnabled({ ports, runtime }, { outcome, time, source, isRepeatable }, decision);
}

/** What a pass of a policy that is enabled came to see. */
interface EnabledSighting extends Pick<ConditionSighting, 'outcome' | 'time'> {
  readonly source: UpstreamSource;
  /** Whether a pass that sees the same again sets the same. */
  readonly isRepeatable: boolean;
}

function setEnabled(
  { ports, runtime }: Pick<Pass, 'ports' | 'runtime'>,
  { outcome, time, source, isRepeatable }: EnabledSighting,
  decision: Decision,
): void {
  const { conditions, active } = runtime;
  const { memory } = runtime.kept;
  const { replicas } = source;
  const before = (type: string): ReturnType<PolicyConditions['get']> => conditions.get(type);
  const decided = upstreamConditions({ decision, memory, outcome, replicas, before });
  const hpa = isNative(active) ? ownHpaOf({ ports, runtime }) : null;
  const native = hpa === null ? [] : nativeConditions(hpa, decided);
  const nativeTypes = new Set(native.map(({ type }) => type));
  const kept = native.flatMap(({ type }) => before(type) ?? []);
  const upstream = [...kept, ...decided.filter(({ type }) => !nativeTypes.has(type))];
  conditions.replaceUpstream(upstream, isRepeatable ? source : null);
  for (const state of native) conditions.set(state, time);
}

/** What upstream says of a target that is not scaled; what earlier passes found out holds no more. */
const disabledState = {
  type: 'ScalingActive',
  status: 'False',
  reason: 'ScalingDisabled',
  message: 'the policy is disabled',
} as const satisfies ConditionState;

/** @returns the target's progress deadline, in seconds */
function setProgress({ runtime }: Pick<Pass, 'runtime'>, seen: ConditionSighting, decided: Decided): number {
  const { conditions, active } = runtime;
  const { scale, time } = seen;
  const { observation } = decided.input;
  if (scale === null) {
    const message = observation.scale.error?.message ?? 'the scale could not be read';
    const reason = 'FailedGetScale';
    for (const type of ['Available', 'Progressing'] as const)
      conditions.set({ type, status: 'Unknown', reason, message }, time);
    return 0;
  }
  const progress = targetProgress(scale, { pods: observation.pods ?? null, isNative: isNative(active) });
  conditions.set(availableState(progress), time);
  conditions.set(progressingState(progress), time);
  return progress.progressDeadlineSeconds;
}

/** Whether the native controller scales. */
function isNative({ policy: { enabled, actuation } }: ActivePolicy): boolean {
  return enabled && actuation === 'HorizontalPodAutoscaler';
}

/** Outcomes of passes that did not come to see whether anything is in the way. */
const undecided: ReadonlySet<string> = new Set([
  'HpaUnknown',
  'HpaChanged',
  'PolicyChanged',
  'ShardNotHeld',
  'WriteInDoubt',
]);

/** A policy that nothing was ever in the way of has no such condition. */
function setObstacles(
  conditions: PolicyConditions,
  { outcome: { kind, reason, message }, decided, time }: ConditionSighting,
): void {
  const hasLooked = decided !== null && kind !== 'Failed' && kind !== 'Bug' && !undecided.has(reason);
  for (const { type, ...absent } of absences) {
    if (reason === type) conditions.set({ type, status: 'True', reason, message }, time);
    else if (hasLooked && conditions.get(type) !== undefined)
      conditions.set({ type, status: 'False', ...absent }, time);
  }
}

const absences = [
  { type: 'Conflict', reason: 'NoConflict', message: 'nothing else scales the target' },
  { type: 'FieldNotSupported', reason: 'FieldsSupported', message: 'the API server keeps every field' },
] as const satisfies readonly Omit<ConditionState, 'status'>[];
