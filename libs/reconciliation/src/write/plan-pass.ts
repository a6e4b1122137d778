import { isDryRun } from '#decision';
import type { RecordedStrategy } from '#ledger';
import type { LossWait } from '../brake/loss-wait.ts';
import { bestEffortOfBrake } from '../brake/native-window.ts';
import { effectiveLimits, type InForce, type Stop } from '../hpa/effective-limits.ts';
import {
  type ActuationInput,
  type ActuationPlan,
  type HpaWrite,
  isOwn,
  isRendered,
  planActuation,
} from '../hpa/plan-actuation.ts';
import { type RenderedHpa, renderHpa } from '../hpa/render-hpa.ts';
import type { Observed } from '../observe/observe.ts';
import { callKubernetes } from '../pass/call-kubernetes.ts';
import type { Pass } from '../pass/pass.ts';
import { conflictWith, lastSeen, othersUnknown, type Plan, planWrite, withheld } from '../plan/plan-write.ts';
import type {
  AutoscalerReading,
  LiveAutoscaler,
  NativeAutoscaler,
} from '../ports/native-autoscalers.port.ts';
import type { Decided } from '../record/record-decision.ts';
import { contestedHpa } from './contested-hpa.ts';
import { refusedHpa } from './refused-hpa.ts';

/** What a plan is made from. */
export interface Planning {
  readonly observed: Observed;
  readonly decided: Decided;
  readonly strategy: RecordedStrategy;
  /** Metrics take so much of the target's replicas that others of their source are looked at first; null: they do not. */
  readonly lossWait: LossWait | null;
}

/** What is done with a pass's decision, and with the policy's HPA. */
export interface PassPlan {
  readonly plan: Plan;
  readonly actuation: ActuationPlan;
  /** The HPA of the policy's name as it was read before a write of it; null: there is none, or nothing is written. */
  readonly live: LiveAutoscaler | null;
}

/**
 * Plans a pass. What the cache says of an HPA that would be written is confirmed by a live read, since the watch may not
 * have reported the last write yet.
 *
 * @throws DeadlineExceeded
 */
export async function planPass(pass: Pass, planning: Planning): Promise<PassPlan> {
  const input = actuationInput(pass, planning);
  const cached = planActuation(input);
  if (settled.has(cached.kind)) pass.runtime.contest.endDrift();
  await readUnequal(pass, cached);
  if (cached.kind !== 'Write') return { plan: planOf(pass, planning, cached), actuation: cached, live: null };
  const reading = await readHpa(pass);
  if (reading.kind === 'Failed')
    return { plan: withheld('HpaUnknown', reading.message), actuation: cached, live: null };
  const live = reading.kind === 'Found' ? reading : null;
  const autoscalers = withLive(input, live?.autoscaler ?? null);
  const confirmed = planActuation({ ...input, autoscalers });
  const waiting = confirmed.kind === 'Write' ? waitingHpa(pass, confirmed.write, live) : null;
  return { plan: waiting ?? planOf(pass, planning, confirmed), actuation: confirmed, live };
}

function waitingHpa(pass: Pass, write: HpaWrite, live: LiveAutoscaler | null): Plan | null {
  return contestedHpa(pass, write, live) ?? refusedHpa(pass, write, live);
}

async function readUnequal(pass: Pass, actuation: ActuationPlan): Promise<void> {
  const { unequalHpa } = pass.runtime;
  if (actuation.kind === 'Unequal' && unequalHpa.isUnread(actuation))
    unequalHpa.note(actuation, await readHpa(pass));
}

/** The same without any call, for what is only remembered. */
export function planCached(pass: Pass, planning: Planning): Plan {
  return planOf(pass, planning, planActuation(actuationInput(pass, planning)));
}

function actuationInput(pass: Pass, planning: Planning): ActuationInput {
  const { ports, options, runtime } = pass;
  const { observed, strategy } = planning;
  const { policy } = runtime.active;
  return {
    policy,
    mayWrite: !isDryRun(policy, observed.observation) && options.mode === 'Act',
    rendered: renderedOf(pass, planning),
    autoscalers: observed.autoscalers,
    recorded: strategy.hpa ?? null,
    serverVersion: ports.nativeAutoscalers.serverVersion(),
    time: observed.observation.time,
    isTimeInDoubt: ports.windows.isTimeInDoubt,
  };
}

/** A scale-in that the fleet brake is about to hold is stopped at once: the native controller asks nobody. */
function renderedOf({ ports, runtime }: Pass, { observed, lossWait }: Planning): RenderedHpa | null {
  const { scale, observation } = observed;
  const { policy } = runtime.active;
  if (scale === null || !isRendered(policy)) return null;
  const stops = lossWait?.kind === 'SuspensionAwaited' ? [stopOfBrake] : [];
  const rendered = renderHpa(policy, scale.uid, { ...inForceAt(observation), stops });
  const bestEffort = ports.brake.mayHold(policy) ? bestEffortOfBrake(policy) : [];
  return bestEffort.length === 0
    ? rendered
    : { ...rendered, departures: [...rendered.departures, ...bestEffort] };
}

const stopOfBrake: Stop = { direction: 'Down', name: 'the fleet brake' };

function inForceAt({ time, windows, interventions }: Observed['observation']): InForce {
  return { time, windows: windows ?? [], interventions: interventions ?? [] };
}

function readHpa(pass: Pass): Promise<AutoscalerReading> {
  const { namespace, name } = pass.runtime.active.policy;
  return callKubernetes(pass, 'GET of its HPA', (signal) =>
    pass.ports.nativeAutoscalers.readAutoscaler({ namespace, name }, signal),
  );
}

function withLive(
  { policy, autoscalers }: ActuationInput,
  live: NativeAutoscaler | null,
): readonly NativeAutoscaler[] {
  const others = (autoscalers ?? []).filter(({ name }) => name !== policy.name);
  return live === null ? others : [...others, live];
}

/** Plans of an HPA that is as it should be, whoever made it so. */
const settled: ReadonlySet<ActuationPlan['kind']> = new Set(['InSync', 'NoHpa']);

function planOf(pass: Pass, planning: Planning, actuation: ActuationPlan): Plan {
  const { policy } = pass.runtime.active;
  const { observation } = planning.observed;
  const hindered = hindranceOf(pass, planning, actuation);
  if (hindered !== null) return hindered;
  switch (actuation.kind) {
    case 'NotSeen':
      return { kind: 'Nothing' };
    case 'NoHpa':
      return planScale(pass, planning);
    case 'Write':
      return { kind: 'Actuate', write: actuation.write };
    case 'InSync':
      return { kind: 'Native', live: actuation.live, departures: actuation.rendered.departures };
    case 'NotWritten':
      return withheld(isDryRun(policy, observation) ? 'DryRun' : 'Observing', actuation.message);
    case 'Conflict':
      return withheld('Conflict', `not written: ${actuation.message}`);
    case 'Unequal':
      return withheld('Conflict', `not written: ${pass.runtime.unequalHpa.describe(actuation)}`);
    default:
      return withheld(withheldReasons[actuation.kind], actuation.message);
  }
}

/**
 * Beside what competes with it the policy's HPA is neither made nor changed; deleting it resolves the conflict. While it is
 * not known what does, none is made that was not there.
 */
function hindranceOf(
  { runtime }: Pass,
  { observed: { competitor, competitorUnknown } }: Planning,
  actuation: ActuationPlan,
): Plan | null {
  const isInForce = actuation.kind === 'Write' || actuation.kind === 'InSync';
  if (!isInForce || !runtime.active.policy.enabled) return null;
  const other = lastSeen(competitor, competitorUnknown);
  if (other !== null) return conflictWith(other);
  const isNew = actuation.kind === 'Write' && beginsToScale.has(actuation.write.verb);
  return isNew && competitorUnknown !== null ? othersUnknown(competitorUnknown) : null;
}

/** Writes after which an HPA of ours scales that did not before. */
const beginsToScale: ReadonlySet<HpaWrite['verb']> = new Set(['Create', 'Adopt']);

const withheldReasons = {
  Leaving: 'HpaLeaving',
  NotSupported: 'FieldNotSupported',
} as const;

function planScale(
  { ports, options, runtime, isEarly }: Pass,
  { observed, decided, strategy, lossWait }: Planning,
): Plan {
  const { rival, competitor, competitorUnknown, awaitedNeighbours, knownPods, scale, observation } = observed;
  const now = ports.clock.monotonicMilliseconds();
  return planWrite({
    policy: runtime.active.policy,
    decision: decided.output.decision,
    mode: options.mode,
    isDryRun: isDryRun(runtime.active.policy, observation),
    restoreReplicas: strategy.restoreReplicas ?? null,
    stops: effectiveLimits(runtime.active.policy, inForceAt(observation)).stops,
    rival,
    isRivalOwn: rival !== null && isOwn(runtime.active.policy, rival),
    competitor,
    competitorUnknown,
    awaitedNeighbours,
    missingPods: scale === null || knownPods === null ? 0 : scale.statusReplicas - knownPods,
    isEarly,
    lossWait,
    contest: runtime.contest.at(now),
    refusal: runtime.refusalAt(now),
    targetUid: scale?.uid ?? null,
    version: runtime.schedule.version,
    now,
  });
}
