import { decide, type DecideInput, isDryRun, type Memory, type OverrideIntervention } from '#decision';
import { AdapterError } from '#kernel';
import type { LossWait } from './brake/loss-wait.ts';
import { type FollowedHpa, followHpa } from './hpa/follow-hpa.ts';
import { type ActuationPlan, departuresOf, isRendered } from './hpa/plan-actuation.ts';
import { memoryAtReturn, rememberDecided } from './observe/memory-at-return.ts';
import { observe, type Observed } from './observe/observe.ts';
import type { PassOutcome } from './outcome/pass-outcome.ts';
import { managesNamespace, type Pass } from './pass/pass.ts';
import { endsRestore } from './plan/plan-write.ts';
import type { ScaleState } from './ports/scale.port.ts';
import { type IntendedHpaWrite, intendedHpaWrite } from './record/actuation-drafts.ts';
import { ledgerUnavailable } from './record/append.ts';
import { restoreDamaged } from './record/damaged-state.ts';
import type { IntendedWrite } from './record/drafts.ts';
import { type Decided, recordDecision } from './record/record-decision.ts';
import { overrideBehind, restoreReason, writtenReason } from './reporting/describe-scaling.ts';
import { outcomeOfDecision } from './reporting/outcome-of-decision.ts';
import { strategyChangesOf, type StrategyOutput, withoutRestore } from './strategy/strategy-changes.ts';
import { applyHpaWrite } from './write/apply-hpa-write.ts';
import { type Applied, applyWrite } from './write/apply-write.ts';
import { withLateWrites } from './write/late-writes.ts';
import { memoryInDoubt, nextMemoryOf } from './write/next-memory.ts';
import { type PassPlan, planCached, planPass } from './write/plan-pass.ts';
import { resolvePendingWrite } from './write/resolve-pending-write.ts';

/** A scale that changes under so many attempts is being changed by others; the next pass looks again. */
const maximumAttempts = 3;

/** What a pass came to. */
export interface PassResult {
  readonly outcome: PassOutcome;
  /** Null: it did not come to decide. */
  readonly decided: Decided | null;
  readonly scale: ScaleState | null;
}

/**
 * One pass over one policy: resolve what an earlier pass left open, observe, decide, plan, record, write, record.
 * Nothing is written that is not recorded as an intent first.
 *
 * @throws DeadlineExceeded when the pass takes too long; AdapterError when a port breaks; anything else is a bug.
 */
export async function reconcilePolicy(pass: Pass): Promise<PassResult> {
  const { namespace } = pass.runtime.target;
  if (!managesNamespace(pass.options, namespace))
    return { outcome: notManaged(namespace), decided: null, scale: null };
  const damaged = pass.runtime.isStateAwaited ? await restoreDamaged(pass) : null;
  if (damaged !== null) return observeUndecided(pass, damaged);
  if (pass.runtime.isAppendUnanswered) return decideUnrecorded(pass);
  const unresolved = await resolvePendingWrite(pass);
  if (unresolved !== null) return { outcome: unresolved, decided: null, scale: null };
  refreshFilter(pass);
  const seen = await pass.span.step('observe', () => observe(pass));
  if (seen.kind === 'NotObservable') return { outcome: seen.outcome, decided: null, scale: null };
  return decideAndApply(pass, seen.observed);
}

/** What is not decided claims its pods all the same: until it has, no other policy of the namespace may write. */
async function observeUndecided(pass: Pass, outcome: PassOutcome): Promise<PassResult> {
  const seen = await pass.span.step('observe', () => observe(pass));
  return { outcome, decided: null, scale: seen.kind === 'NotObservable' ? null : seen.observed.scale };
}

/** While nothing can be recorded nothing is written; what the pass would remember is remembered all the same. */
async function decideUnrecorded(pass: Pass): Promise<PassResult> {
  const outcome = ledgerUnavailable('an earlier record has no answer yet');
  const seen = await pass.span.step('observe', () => observe(pass));
  if (seen.kind === 'NotObservable') return { outcome, decided: null, scale: null };
  const decided = decideOn(pass, seen.observed, memoryAtReturn(pass, seen.observed));
  const plan = planCached(pass, {
    observed: seen.observed,
    decided,
    strategy: pass.runtime.kept.strategy,
    lossWait: null,
  });
  rememberDecided(pass, nextMemoryOf(pass.runtime.active.policy, decided, plan).memory, decided);
  return { outcome, decided: null, scale: decided.scale };
}

/** Under another strategy the filter begins anew, before it looks at anything. */
function refreshFilter({ ports, runtime }: Pass): void {
  if (runtime.takeStaleFilter()) ports.owners.clearFilterCache(runtime.key);
}

async function decideAndApply(pass: Pass, first: Observed): Promise<PassResult> {
  let memory = withLateWrites(pass, memoryAtReturn(pass, first), first);
  let observed = first;
  for (let attempt = 1; attempt <= maximumAttempts; attempt += 1) {
    const decided = decideOn(pass, observed, memory);
    const lossWait = await noteLoss(pass, decided);
    const wanted = strategyAfter(pass, decided);
    const planned = await planPass(pass, {
      observed,
      decided,
      strategy: wanted.recorded,
      lossWait,
    });
    const { plan } = planned;
    const strategy = endsRestore(plan) ? { ...wanted, recorded: withoutRestore(wanted.recorded) } : wanted;
    const next = nextMemoryOf(pass.runtime.active.policy, decided, plan);
    const write = intendedWrite(pass, decided, planned);
    const recording = {
      next,
      write,
      departures: departuresOf(planned.actuation),
      ...followed(pass, observed, { strategy, actuation: planned.actuation }),
    };
    const recorded = await pass.span.step('intent', () => recordDecision(pass, decided, recording));
    const result = { decided, scale: decided.scale };
    if (recorded.kind !== 'Stored') return { ...result, outcome: recorded.outcome };
    if (write?.kind === 'Hpa') return { ...result, outcome: await applyHpaWrite(pass, write) };
    if (write === null || next.write === null) {
      const { origin } = pass.runtime.active;
      const cause = { origin, override: overrideOf(decided) };
      return { ...result, outcome: outcomeOfDecision(decided.output.decision, plan, cause) };
    }
    const applied = await applyWrite(pass, { ...write, next: next.write });
    if (applied.kind === 'Ended') return { decided, ...applied };
    if (!isSameSelection(write.scale, applied.scale)) break;
    memory = memoryAfter(applied, { memory, ifWritten: next.write.ifWritten });
    observed = withScale(observed, applied.scale);
  }
  return { outcome: changing, decided: null, scale: observed.scale };
}

/** What it is decided again from. */
function memoryAfter(
  { countsAsMade }: Extract<Applied, { readonly kind: 'Changed' }>,
  { memory, ifWritten }: { readonly memory: Memory; readonly ifWritten: Memory },
): Memory {
  return countsAsMade ? memoryInDoubt(memory, ifWritten) : memory;
}

function intendedWrite(
  { runtime }: Pass,
  { input, output, scale }: Decided,
  { plan, live }: PassPlan,
): IntendedWrite | IntendedHpaWrite | null {
  const { decision } = output;
  const { active } = runtime;
  if (plan.kind === 'Actuate') {
    return intendedHpaWrite({
      active,
      time: decision.time,
      write: plan.write,
      live,
      targetUid: scale?.uid ?? null,
      recorded: runtime.kept.strategy.hpa ?? null,
    });
  }
  if (plan.kind !== 'Write' || scale === null) return null;
  const interventions = input.observation.interventions ?? [];
  const isDecided = plan.purpose !== 'Restore';
  const reason = isDecided ? writtenReason(decision, interventions) : restoreReason;
  const override = isDecided ? overrideBehind(decision, interventions) : null;
  return { kind: 'Scale', active, decision, scale, to: plan.to, reason, override };
}

/** The override that the decided count is of; null: none is. */
function overrideOf({ input, output }: Decided): OverrideIntervention | null {
  return overrideBehind(output.decision, input.observation.interventions ?? []);
}

/** What is recorded of the policy's HPA beside the decision. */
function followed(
  { runtime }: Pass,
  { autoscalers, observation }: Observed,
  { strategy, actuation }: { readonly strategy: StrategyOutput; readonly actuation: ActuationPlan },
): { readonly strategy: StrategyOutput; readonly observations: FollowedHpa['append'] } {
  const { policy } = runtime.active;
  const seen = { policy, time: observation.time, autoscalers, actuation };
  const { recorded: hpa, append } = followHpa(strategy.recorded.hpa ?? null, seen);
  return {
    strategy: { ...strategy, recorded: { ...strategy.recorded, hpa } },
    observations: append,
  };
}

function decideOn({ ports, options, runtime, span }: Pass, observed: Observed, memory: Memory): Decided {
  const { observation, scale } = observed;
  const { policy } = runtime.active;
  const input: DecideInput = { policy, settings: options.settings, observation, memory };
  ports.clock.noteWork(`decision on ${runtime.key}`);
  const output = runtime.kept.share(span.compute('decide', () => decide(input)));
  const computationMilliseconds = ports.clock.monotonicMilliseconds() - observed.beganAt;
  return { input, output, scale, computationMilliseconds };
}

/** Shows the decision to the fleet brake. @returns why a scale-in waits until others have been looked at */
async function noteLoss(
  { ports, options, runtime }: Pass,
  { input, output }: Decided,
): Promise<LossWait | null> {
  const { active, kept } = runtime;
  const { observation } = input;
  const { decision } = output;
  const mayWrite = options.mode === 'Act' && !isDryRun(active.policy, observation);
  const hasDecided = kept.lastDecision !== null;
  try {
    return await ports.brake.note({ active, observation, decision, mayWrite, hasDecided });
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    // The native controller scales in whatever becomes of the pass: its HPA is stopped, or stays so.
    if (isRendered(active.policy)) return { kind: 'SuspensionAwaited' };
    // What scales nothing in needs no brake.
    if (decision.action === 'ScaleDown') throw error;
    return null;
  }
}

function strategyAfter({ runtime, options }: Pass, { output, scale }: Decided): StrategyOutput {
  const { changes, recorded } = strategyChangesOf({
    recorded: runtime.kept.strategy,
    version: runtime.version,
    requested: output.memory.selectionStrategy ?? null,
    settings: options.settings,
    targetUid: scale?.uid ?? null,
    mode: options.mode,
  });
  const isRestored = recorded.restoreReplicas === scale?.specReplicas;
  return { changes, recorded: isRestored ? withoutRestore(recorded) : recorded };
}

/** Pods in hand belong to the selector they were listed by; with another, or another object, they mean nothing. */
function isSameSelection(before: ScaleState, now: ScaleState): boolean {
  return before.uid === now.uid && before.selector === now.selector;
}

function withScale(observed: Observed, scale: ScaleState): Observed {
  const { specReplicas, statusReplicas, selector } = scale;
  const observation = { ...observed.observation, scale: { specReplicas, statusReplicas, selector } };
  return { ...observed, observation, scale };
}

/** In force from before `namespaces` changed, until its removal is approved. */
function notManaged(namespace: string): PassOutcome {
  return {
    kind: 'Stalled',
    reason: 'NamespaceNotManaged',
    message: `namespace ${namespace} is not among the configured namespaces; nothing of it is read or written`,
  };
}

const changing: PassOutcome = {
  kind: 'Waiting',
  reason: 'ScaleChanged',
  message: 'the scale keeps changing under the write; the next pass looks again',
};
