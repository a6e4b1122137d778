import type { Decision } from '#decision';
import { nameSome } from '#kernel';
import type { EffectivePolicy } from '#policy';
import type { LossWait } from '../brake/loss-wait.ts';
import type { Stop } from '../hpa/effective-limits.ts';
import type { HpaWrite } from '../hpa/plan-actuation.ts';
import type { CompetingAutoscaler } from '../ports/competing-autoscalers.port.ts';
import type { NativeAutoscaler } from '../ports/native-autoscalers.port.ts';
import type { Direction } from './back-off.ts';
import { type ContestState, contestWaitSeconds, describeContest } from './contest.ts';
import { describeRefusal, type RefusableWrite, type Refusal, refusalWaitSeconds } from './refusals.ts';

/** Whether the controller writes at all: the configuration's `mode`. */
export type ControllerMode = 'Observe' | 'Act';

/** A decision, and what decides whether it may be carried out. */
export interface PlanInput {
  readonly policy: EffectivePolicy;
  readonly decision: Decision;
  readonly mode: ControllerMode;
  /** The policy says so, or an intervention in force. */
  readonly isDryRun: boolean;
  /** The count that a policy which was disabled has yet to restore; null: none. */
  readonly restoreReplicas: number | null;
  /** The freezes and suspensions in force. */
  readonly stops: readonly Stop[];
  /** A live HPA on the policy's own target. */
  readonly rival: NativeAutoscaler | null;
  /** The rival is the policy's own: deleted, and not seen gone yet. */
  readonly isRivalOwn: boolean;
  /** An autoscaler of another controller on the policy's own target. */
  readonly competitor: CompetingAutoscaler | null;
  /** Why it is not known whether there is one now; null: it is. */
  readonly competitorUnknown: string | null;
  /** Policies of the namespace that have not looked at their pods since the start. */
  readonly awaitedNeighbours: readonly string[];
  /** How many of the target's `status.replicas` the pod cache does not know. */
  readonly missingPods: number;
  /** The pass does not wait for the policy's interval, so what metrics ask for does. */
  readonly isEarly: boolean;
  /** What metrics take away is so much that others of their source are looked at first; null: it is not. */
  readonly lossWait: LossWait | null;
  /** Others undo what Plimsoll writes; null: they do not. */
  readonly contest: ContestState | null;
  /** The write that the API server refuses; null: none. */
  readonly refusal: Refusal | null;
  /** Of the target; null: it could not be read. */
  readonly targetUid: string | null;
  /** Of the policy: the commit and the file that brought it. */
  readonly version: string;
  /** Milliseconds of the clock that the contest and the refusal are measured with. */
  readonly now: number;
}

/** Why a decision is not carried out. */
type WithheldReason =
  | 'DryRun'
  | 'Observing'
  | 'IntervalNotElapsed'
  | 'LossUnconfirmed'
  | 'Contested'
  | 'WriteRefused'
  | 'HpaLeaving'
  | 'HpaUnknown'
  | 'FieldNotSupported'
  | 'Conflict'
  | 'CompetitorsUnknown'
  | 'PodsUnknown'
  | 'RestoreDelayed';

/** A change of the count. */
interface Change {
  readonly from: number;
  readonly to: number;
  /** `Restore`: the policy was disabled, and its `replicas` are put back. */
  readonly purpose: 'Scale' | 'Restore';
}

/** What is to be done with a decision. */
export type Plan =
  | (Change & { readonly kind: 'Write' })
  /** A write of the policy's HPA. */
  | { readonly kind: 'Actuate'; readonly write: HpaWrite }
  /** The policy's HPA is as it should be, and the native controller scales. */
  | { readonly kind: 'Native'; readonly live: NativeAutoscaler; readonly departures: readonly string[] }
  | { readonly kind: 'Nothing' }
  | {
      readonly kind: 'Withheld';
      readonly reason: WithheldReason;
      readonly message: string;
      /** The count that a policy which was disabled has yet to restore; absent: none. */
      readonly restored?: number;
      /** It will not be restored later either. */
      readonly isGivenUp?: true;
    };

/** As many policies, or shards, as a message names. */
const maximumNamed = 3;

/** Turns a decision into a write, or says why there is none. Pure; it never makes another decision. */
export function planWrite(input: PlanInput): Plan {
  const { currentReplicas: from } = input.decision;
  if (from === null) return { kind: 'Nothing' };
  const change = changeOf(input, from);
  const withheldPlan = unwritten(input, change) ?? obstacleFor(input, change) ?? waitOf(input, change);
  if (withheldPlan !== null) return restoring(withheldPlan, change);
  if (change === null) return { kind: 'Nothing' };
  return restoring(withheldFor(input, change), change) ?? { kind: 'Write', ...change };
}

/** The plan, with what is restored once it is carried out. */
function restoring<P extends Plan | null>(plan: P, change: Change | null): P {
  if (plan?.kind !== 'Withheld' || change?.purpose !== 'Restore') return plan;
  return { ...plan, restored: change.to };
}

/** What is not written whatever is in the way. */
function unwritten(input: PlanInput, change: Change | null): Plan | null {
  const { isDryRun, mode } = input;
  if (!isDryRun && mode === 'Act') return null;
  if (change === null) return { kind: 'Nothing' };
  return waitOf(input, change) ?? notWriting(input);
}

function waitOf(input: PlanInput, change: Change | null): Plan | null {
  return change !== null && input.isEarly && isAskedByMetrics(input) ? notElapsed : null;
}

const notElapsed = withheld(
  'IntervalNotElapsed',
  'not written before the interval of the policy has elapsed',
);

function lossUnconfirmed(wait: LossWait): Plan {
  if (wait.kind === 'SuspensionAwaited') {
    const message =
      'not written: the fleet brake holds what its metrics take, and the suspension is not recorded yet';
    return withheld('LossUnconfirmed', message);
  }
  const others =
    wait.kind === 'TargetsUnseen'
      ? 'other targets of its metrics'
      : `those of ${wait.shards.length === 1 ? 'shard' : 'shards'} ${nameSome(wait.shards, maximumNamed)}, of which it is not known yet what a replica has seen since`;
  const message = `not written yet: it takes a large share of the replicas, and the fleet brake first looks at ${others}`;
  return withheld('LossUnconfirmed', message);
}

/** Limits that name no time would otherwise let a count double with each change that starts a pass. */
function isAskedByMetrics({ policy, decision: { metrics, reason } }: PlanInput): boolean {
  return policy.enabled && metrics.length > 0 && reason !== pinReason;
}

/** The reason of a decision whose count is an override's. */
const pinReason = 'Override';

function changeOf({ policy, decision, restoreReplicas }: PlanInput, from: number): Change | null {
  const to = policy.enabled ? decision.desiredReplicas : restoreReplicas;
  if (to === null || to === from) return null;
  return { from, to, purpose: policy.enabled ? 'Scale' : 'Restore' };
}

function notWriting({ isDryRun }: PlanInput): Plan {
  return isDryRun
    ? withheld('DryRun', 'not written: dry run')
    : withheld('Observing', 'not written: mode Observe');
}

/** A policy that is not carried out says so, also while the count happens to be the right one. */
function obstacleFor(
  { policy, rival, isRivalOwn, competitor, competitorUnknown }: PlanInput,
  change: Change | null,
): Plan | null {
  if (!policy.enabled && change === null) return null;
  const other = rival === null ? lastSeen(competitor, competitorUnknown) : nativeRival(rival);
  if (other === null) return null;
  return change?.purpose === 'Restore' && !isRivalOwn ? givenUp(other) : conflictWith(other);
}

function nativeRival({ name, manager }: NativeAutoscaler): Other {
  return { kind: 'HorizontalPodAutoscaler', name, manager };
}

/** A competitor, and why it may be gone by now. */
export function lastSeen(competitor: CompetingAutoscaler | null, unknown: string | null): Other | null {
  if (competitor === null || unknown === null) return competitor;
  return { ...competitor, doubt: unknown };
}

/** What another scales is its own: restored later, a count would undo what it has done since. */
function givenUp({ kind, name, manager, doubt }: Other): Plan {
  const by = manager === null ? '' : `, applied by ${manager},`;
  const message = `not restored, now or later: ${kind} ${name}${by} scales the target${seenLast(doubt)}`;
  return { kind: 'Withheld', reason: 'Conflict', message, isGivenUp: true };
}

/** Whether a plan ends the restoring of a disabled policy's count, unwritten. */
export function endsRestore(plan: Plan): boolean {
  return plan.kind === 'Withheld' && plan.isGivenUp === true;
}

type Other = Pick<CompetingAutoscaler, 'name' | 'manager'> & {
  readonly kind: string;
  /** Why it may be gone by now; absent: it is there. */
  readonly doubt?: string;
};

function seenLast(doubt: string | undefined): string {
  return doubt === undefined ? '' : `, as far as is known: ${doubt}`;
}

function withheldFor(input: PlanInput, change: Change): Plan | null {
  const waiting =
    contestedWait(input, change) ?? refusedWait(input.refusal, refusableWrite(input, change), input.now);
  if (waiting !== null) return waiting;
  if (change.purpose === 'Restore') return delayOf(input, change);
  if (change.to > change.from) return null;
  if (input.lossWait !== null && isAskedByMetrics(input)) return lossUnconfirmed(input.lossWait);
  return mayHideCompetitors(input) ?? mayHideOthers(input) ?? mayHidePods(input);
}

function contestedWait({ contest, now }: PlanInput, { from, to }: Change): Plan | null {
  if (contest === null) return null;
  const seconds = contestWaitSeconds(contest, directionOf(from, to), now);
  if (seconds === 0) return null;
  return withheld('Contested', `not written for ${seconds} s: ${describeContest(contest, 'Scale')}`);
}

function refusableWrite({ targetUid, version }: PlanInput, { from, to }: Change): RefusableWrite {
  return { direction: directionOf(from, to), wanted: to, targetUid, version };
}

/** Which way a write takes the replicas. */
export function directionOf(from: number, to: number): Direction {
  return to > from ? 'Up' : 'Down';
}

/** The plan for a write that the API server refuses; null: it need not wait. */
export function refusedWait(refusal: Refusal | null, write: RefusableWrite, now: number): Plan | null {
  if (refusal === null || refusalWaitSeconds(refusal, write, now) === 0) return null;
  return withheld('WriteRefused', describeRefusal(refusal));
}

function delayOf({ stops }: PlanInput, { from, to }: Change): Plan | null {
  const wanted = directionOf(from, to);
  const stop = stops.find(({ direction }) => direction === 'Both' || direction === wanted);
  if (stop === undefined) return null;
  const message = `the policy is disabled, and its replicas are restored after ${stop.name}`;
  return withheld('RestoreDelayed', message);
}

/** Pods shared with a policy that has not looked yet would count as ours alone; only shrinking on that is dangerous. */
function mayHideCompetitors({ policy, decision, awaitedNeighbours }: PlanInput): Plan | null {
  if (awaitedNeighbours.length === 0 || policy.sharedSelectorAllowed) return null;
  if (decision.selection.effective !== 'LabelSelector') return null;
  return withheld(
    'CompetitorsUnknown',
    `not written yet: ${nameSome(awaitedNeighbours, maximumNamed)} must first look at the pods of the namespace`,
  );
}

/** What another may want to run is not known. */
function mayHideOthers({ competitorUnknown }: PlanInput): Plan | null {
  return competitorUnknown === null ? null : othersUnknown(competitorUnknown);
}

/** The plan while it is not known whether an autoscaler of another controller scales the target. */
export function othersUnknown(why: string): Plan {
  const message = `not written yet: it is not known whether another autoscaler scales the target: ${why}`;
  return withheld('CompetitorsUnknown', message);
}

/** A pod watch that died in silence hides load; where pods decide nothing, it hides none. */
function mayHidePods({ policy, missingPods }: PlanInput): Plan | null {
  if (missingPods <= 0 || !policy.metrics.some(dependsOnPods)) return null;
  const pods = missingPods === 1 ? '1 pod' : `${missingPods} pods`;
  return withheld('PodsUnknown', `not written yet: the target has ${pods} more than the pod cache knows`);
}

function dependsOnPods({ type, target }: EffectivePolicy['metrics'][number]): boolean {
  const isOfPods = type === 'Resource' || type === 'ContainerResource' || type === 'Pods';
  return isOfPods || target.type !== 'AverageValue';
}

/** The plan beside another autoscaler of the target: nothing is written until one of the two goes. */
export function conflictWith({ kind, name, manager, doubt }: Other): Plan {
  const by = manager === null ? '' : `, applied by ${manager},`;
  const message = `not written: ${kind} ${name}${by} scales the same target${seenLast(doubt)}; delete one of the two`;
  return withheld('Conflict', message);
}

/** A plan that carries nothing out, and why. */
export function withheld(reason: WithheldReason, message: string): Plan {
  return { kind: 'Withheld', reason, message };
}
