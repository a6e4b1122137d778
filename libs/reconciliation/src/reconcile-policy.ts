import { decide, type DecideInput, type Memory } from '#decision';
import { observe, type Observed } from './observe/observe.ts';
import { outcomeOfDecision } from './outcome/outcome-of-decision.ts';
import type { PassOutcome } from './outcome/pass-outcome.ts';
import type { Pass } from './pass/pass.ts';
import type { ScaleState } from './ports/scale.port.ts';
import type { Appended } from './record/append.ts';
import { type Decided, type NextMemory, recordDecision } from './record/record-decision.ts';
import { resolvePendingStrategy } from './strategy/pending-strategy.ts';
import { applyWrite } from './write/apply-write.ts';
import { nextMemoryOf } from './write/next-memory.ts';
import { type Plan, planWrite } from './write/plan-write.ts';
import { resolvePendingWrite } from './write/resolve-pending-write.ts';

/** A scale that changes under so many attempts is somebody else's at the moment; the next pass looks again. */
const maximumAttempts = 3;

/** What a pass came to. */
export interface PassResult {
  readonly outcome: PassOutcome;
  /** Null: it did not come to decide. */
  readonly decided: Decided | null;
  readonly scale: ScaleState | null;
}

/**
 * One pass over one policy: settle what an earlier pass left open, observe, decide, plan, record, apply, record.
 * Nothing is written that is not recorded as an intent first.
 *
 * @throws DeadlineExceeded when the pass takes too long; AdapterError when a port breaks; anything else is a bug.
 */
export async function reconcilePolicy(pass: Pass): Promise<PassResult> {
  const unsettled = await resolvePendingWrite(pass);
  if (unsettled !== null) return { outcome: unsettled, decided: null, scale: null };
  await resolvePendingStrategy(pass);
  refreshFilter(pass);
  const seen = await observe(pass);
  if (seen.kind === 'NotObservable') return { outcome: seen.outcome, decided: null, scale: null };
  return decideAndApply(pass, seen.observed);
}

/** Under another strategy the filter begins anew, before it looks at anything. */
function refreshFilter({ ports, runtime }: Pass): void {
  if (!runtime.isFilterStale) return;
  ports.owners.clearFilterCache(runtime.key);
  runtime.isFilterStale = false;
}

async function decideAndApply(pass: Pass, first: Observed): Promise<PassResult> {
  const { memory } = pass.runtime;
  let observed = first;
  for (let attempt = 1; attempt <= maximumAttempts; attempt += 1) {
    const decided = decideOn(pass, observed, memory);
    const plan = planFor(pass, observed, decided);
    const next = nextMemoryOf(pass.runtime.active.policy, decided, plan);
    const recorded = await announce(pass, decided, next);
    const result = { decided, scale: decided.scale };
    if (recorded.kind !== 'Stored') return { ...result, outcome: recorded.outcome };
    if (plan.kind !== 'Write' || next.write === null || decided.scale === null) {
      const { origin } = pass.runtime.active;
      return { ...result, outcome: outcomeOfDecision(decided.output.decision, plan, origin) };
    }
    const { decision } = decided.output;
    const write = {
      active: pass.runtime.active,
      decision,
      scale: decided.scale,
      to: plan.to,
      next: next.write,
    };
    const applied = await applyWrite(pass, { ...write, entries: recorded.entries });
    if (applied.kind === 'Ended') return { decided, ...applied };
    if (!isSameSelection(decided.scale, applied.scale)) break;
    observed = withScale(observed, applied.scale);
  }
  return { outcome: changing, decided: null, scale: observed.scale };
}

function decideOn({ options, runtime }: Pass, observed: Observed, memory: Memory): Decided {
  const { observation, scale } = observed;
  const { policy } = runtime.active;
  const input: DecideInput = { policy, settings: options.settings, observation, memory };
  return { input, output: decide(input), scale };
}

function planFor({ options, runtime }: Pass, observed: Observed, { output }: Decided): Plan {
  const { rival, competitors } = observed;
  const { policy } = runtime.active;
  return planWrite({ policy, decision: output.decision, mode: options.mode, rival, competitors });
}

/**
 * From the moment an intent may be stored the policy is in doubt, until its outcome is recorded. Memory goes on even
 * where nothing could be stored: a window that forgets recommendations while the database is away would shrink.
 */
async function announce(pass: Pass, decided: Decided, next: NextMemory): Promise<Appended> {
  const { runtime } = pass;
  if (next.write !== null) runtime.doubt = { intent: null, memoryIfWritten: next.write.ifWritten };
  runtime.memory = next.memory;
  const recorded = await recordDecision(pass, decided, next);
  if (recorded.kind !== 'Refused') return recorded;
  runtime.doubt = recorded.code === 'IntentPending' ? { intent: null, memoryIfWritten: null } : null;
  return recorded;
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

const changing: PassOutcome = {
  kind: 'Waiting',
  reason: 'ScaleChanged',
  message: 'the scale keeps changing under the write; the next pass looks again',
};
