import { isDryRun } from '#decision';
import { namespacedName } from '#kernel';
import {
  type AccountedReplicas,
  nameBefore,
  type PolicyState,
  policyStream,
  type RecordedHpa,
  type RecordedRefusal,
} from '#ledger';
import { awaitWatch } from '../observe/await-watch.ts';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import { ledgerAppend, ledgerRead } from '../pass/awaited-calls.ts';
import type { Pass } from '../pass/pass.ts';
import { isSameTarget } from '../policies/scale-target.ts';
import type { AutoscalerWriteOutcome } from '../ports/native-autoscalers.port.ts';
import type { ScaleState } from '../ports/scale.port.ts';
import { append } from '../record/append.ts';
import { eventDraft, failureDraft } from '../record/drafts.ts';
import {
  intentOf,
  type RecordedActuation,
  type RecordedIntent,
  type RecordedScaling,
  type WriteFailure,
} from '../runtime/pending-write.ts';
import { type ExternalChange, ReplicaAccount, type WatchProgress } from '../runtime/replica-account.ts';
import { findRefusedScalingOutcome, findScalingOutcome } from './find-scaling-outcome.ts';
import { hpaOutcomeEntries } from './hpa-outcome-entries.ts';
import type { HpaWriteOutcome } from './hpa-write-outcome.ts';
import { recordWriteOutcome } from './record-write-outcome.ts';
import { findHpaWriteOutcome, thoughSaid } from './resolve-hpa-write.ts';
import { resolvedState } from './resolved-state.ts';
import type { FindingPass } from './retire-version.ts';
import { settleMade, settleUnmade } from './settle-scaling.ts';
import type { WriteOutcome } from './write-outcome.ts';

type ResolvingPass = FindingPass & Pick<Pass, 'runtime'>;

/**
 * Finds out what became of a write that an earlier pass left pending (a crash, a lost answer, a ledger that was away), and
 * records it: one intent, one outcome. While that is not known nothing else is done, since everything else builds on it.
 *
 * @returns null when nothing is pending any more, else why the pass ends here
 * @throws DeadlineExceeded; AdapterError when the ledger cannot be read
 */
export async function resolvePendingWrite(pass: ResolvingPass): Promise<PassOutcome | null> {
  const { pendingWrite } = pass.runtime;
  // A bug ended the pass that announced it: the ledger says whether the intent was stored.
  if (pendingWrite.state.kind === 'Announced')
    pendingWrite.apply({ kind: 'Discover', write: pendingWrite.state.write });
  if (pendingWrite.state.kind === 'Unlocated') await locateIntent(pass);
  const { state } = pendingWrite;
  if (state.kind === 'None') return null;
  if (state.kind === 'Recorded') {
    pendingWrite.apply({
      kind: 'Fail',
      failure: { code: 'NotApplied', message: 'the write was never sent' },
    });
  }
  if (state.kind === 'Sent') {
    const unknown = await findOut(pass, state.intent);
    if (unknown !== null) return unknown;
    pass.runtime.retirementWaits.clear();
  }
  const appended = await recordWriteOutcome(pass, await progressOf(pass));
  return isPending(pass) && appended.kind !== 'Stored' ? appended.outcome : null;
}

/** Of the watch, where a write was made and what others did before it may not be reported yet. */
async function progressOf(pass: ResolvingPass): Promise<WatchProgress> {
  const { state } = pass.runtime.pendingWrite;
  return state.kind === 'Written' ? awaitWatch(pass, state.scale) : 'CaughtUp';
}

/** Read anew: the state has moved on since it was looked at last. */
function isPending({ runtime }: ResolvingPass): boolean {
  return runtime.pendingWrite.state.kind !== 'None';
}

/** Looks for the policy's intent without outcome; where there is none, nothing is pending. */
async function locateIntent({ ports, runtime, deadline }: ResolvingPass): Promise<void> {
  const intent = await deadline.race(
    findPendingIntent(ports, policyStream(runtime.active.policy)),
    ledgerRead,
  );
  runtime.pendingWrite.apply(intent === null ? { kind: 'Resolve' } : { kind: 'Locate', intent });
}

/** A policy's intent without outcome, by its place among all of them, so that no clock decides which one it is. */
export async function findPendingIntent(
  { ledger }: Pick<Pass['ports'], 'ledger'>,
  stream: string,
): Promise<RecordedIntent | null> {
  const [entry] = await ledger.pendingIntents({ after: nameBefore(stream), limit: 1 });
  return entry?.stream === stream ? intentOf(entry) : null;
}

/** Null: the outcome is known now, and waits to be recorded. */
function findOut(pass: ResolvingPass, intent: RecordedIntent): Promise<PassOutcome | null> {
  return intent.kind === 'ScalingIntent' ? findOutScaling(pass, intent) : findOutActuation(pass, intent);
}

async function findOutActuation(pass: ResolvingPass, intent: RecordedActuation): Promise<PassOutcome | null> {
  const { pendingWrite, retirementWaits: waits } = pass.runtime;
  const recorded = pass.runtime.kept.strategy.hpa ?? null;
  const outcome = await findHpaWriteOutcome(pass, intent, { isDryRun: isDry(pass), waits, recorded });
  switch (outcome.kind) {
    case 'Unknown':
      return inDoubt(outcome.message);
    case 'Failed':
      pendingWrite.apply({ kind: 'Fail', failure: outcome.failure });
      // An HPA that is not there has no version that would show that it was not made.
      if (intent.payload.verb === 'Create') pass.runtime.refusals.confirm();
      else confirmRefusal(pass, outcome.failure);
      break;
    case 'Written': {
      const { autoscaler, dropped } = outcome;
      pendingWrite.apply({ kind: 'SucceedHpa', hpa: { autoscaler, dropped } });
      pass.runtime.refusals.clear();
    }
  }
  report(pass, intent, outcome.kind);
  return null;
}

async function findOutScaling(pass: ResolvingPass, intent: RecordedScaling): Promise<PassOutcome | null> {
  const outcome = await findScalingOutcome(pass, intent, {
    isDryRun: isDry(pass),
    waits: pass.runtime.retirementWaits,
    changesIn: (state) => changesTo(pass, intent, state),
  });
  if (outcome.kind === 'Unknown') return inDoubt(outcome.message);
  if (outcome.kind === 'Written') {
    settleMade(pass.runtime, outcome);
  } else {
    settleUnmade(pass.runtime, outcome.failure);
    confirmRefusal(pass, outcome.failure);
  }
  report(pass, intent, outcome.kind);
  return null;
}

/** An error of the API server's own was a refusal where the object still has the version that the write was for. */
function confirmRefusal({ runtime }: ResolvingPass, { code }: WriteFailure): void {
  if (code === 'NotApplied' || code === 'MayComeLate') runtime.refusals.confirm();
}

/**
 * Finds out what became of the policy's write that was refused, since its scale is another one now.
 *
 * @throws DeadlineExceeded; Error where none is sent: a bug
 */
export function findOutRefused(pass: ResolvingPass): Promise<WriteOutcome> {
  const { state } = pass.runtime.pendingWrite;
  if (state.kind !== 'Sent' || state.intent.kind !== 'ScalingIntent')
    throw new Error(`a write that is ${state.kind} was refused`);
  const { intent } = state;
  return findRefusedScalingOutcome(pass, intent, (scale) => changesTo(pass, intent, scale));
}

function isDry({ ports, runtime: { active } }: ResolvingPass): boolean {
  const time = ports.clock.now();
  return isDryRun(active.policy, { time, interventions: ports.interventions.actingOn(active, time) });
}

/** What happened to the target since the intent, as far as it is known. */
async function changesTo(
  pass: ResolvingPass,
  intent: RecordedScaling,
  state: ScaleState,
): Promise<readonly ExternalChange[] | 'Behind'> {
  const { replicas, target } = pass.runtime;
  // A new version of the policy may name another target, of which the account is.
  if (!isSameTarget(intent.payload.target, target)) return changesFrom(intent, state);
  if (replicas.accounted === null) replicas.restore(accountedBefore(intent));
  const progress = await awaitWatch(pass, state);
  return progress === 'Behind' ? 'Behind' : replicas.accountFor(state, progress).changes;
}

/** An intent whose policy is not in force, and the state that its policy left, if any. */
export interface Orphan {
  readonly intent: RecordedIntent;
  readonly state: PolicyState | null;
}

/** What was found out about an intent whose policy is not in force. */
export interface OrphanResolution {
  /** The state that the policy would begin with. */
  readonly state: PolicyState | null;
  /** Why the intent has no outcome yet; null: it has. */
  readonly waitsFor: string | null;
}

/**
 * Resolves an intent whose policy is not in force (any more, or not yet: its source may come later).
 *
 * @throws DeadlineExceeded
 */
export async function resolveOrphan(pass: FindingPass, { intent, state }: Orphan): Promise<OrphanResolution> {
  if (intent.kind === 'ScalingIntent') return resolveOrphanedScaling(pass, intent, state);
  return resolveOrphanedActuation(pass, { intent, answer: null }, state);
}

/** A write of an HPA, and what the API server has just said to it; null: nothing. */
interface AnsweredActuation {
  readonly intent: RecordedActuation;
  readonly answer: AutoscalerWriteOutcome | null;
  /** What the policy's state says of the write where it was not made; absent: what it said before. */
  readonly refused?: (failure: WriteFailure) => RecordedRefusal | null;
}

/**
 * As {@link resolveOrphan}, of a write of an HPA: what the HPA says decides, and where the write was not made, the API
 * server's own words say why.
 *
 * @throws DeadlineExceeded
 */
export async function resolveOrphanedActuation(
  pass: FindingPass,
  answered: AnsweredActuation,
  state: PolicyState | null,
): Promise<OrphanResolution> {
  const { intent, answer, refused } = answered;
  const before = recordedHpaOf(state);
  const found = await findHpaWriteOutcome(pass, intent, { isDryRun: false, waits: null, recorded: before });
  const outcome = withAnswer(found, answer);
  if (outcome.kind === 'Unknown') return { state, waitsFor: outcome.message };
  const time = pass.ports.clock.now();
  const { drafts, hpa } = hpaOutcomeEntries(intent, {
    outcome,
    before,
    serverVersion: pass.ports.nativeAutoscalers.serverVersion(),
    time,
  });
  const resolved = state && {
    ...state,
    strategy: state.strategy && { ...state.strategy, hpa },
    ...(outcome.kind === 'Failed' && refused !== undefined && { refusal: refused(outcome.failure) }),
    updatedAt: time,
  };
  const request = { drafts, ...(resolved !== null && { states: [resolved] }) };
  const appended = await pass.deadline.race(append(pass.ports, request), ledgerAppend);
  if (appended.kind !== 'Stored') return { state, waitsFor: appended.outcome.message };
  reportActuation(pass, answered, outcome.kind);
  return { state: resolved, waitsFor: null };
}

function withAnswer(outcome: HpaWriteOutcome, answer: AutoscalerWriteOutcome | null): HpaWriteOutcome {
  if (outcome.kind !== 'Failed' || answer === null) return outcome;
  const { failure } = outcome;
  if (answer.outcome === 'Failed') {
    const { code, message } = answer.failure;
    return { kind: 'Failed', failure: { ...failure, code, message } };
  }
  const said = answer.outcome === 'Written' ? thoughSaid : answer.failure.message;
  return { kind: 'Failed', failure: { ...failure, message: `${failure.message}, ${said}` } };
}

function recordedHpaOf(state: PolicyState | null): RecordedHpa | null {
  return state?.strategy?.hpa ?? null;
}

async function resolveOrphanedScaling(
  pass: FindingPass,
  intent: RecordedScaling,
  state: PolicyState | null,
): Promise<OrphanResolution> {
  const outcome = await findScalingOutcome(pass, intent, {
    isDryRun: false,
    waits: null,
    changesIn: (found) => Promise.resolve(changesFrom(intent, found)),
  });
  if (outcome.kind === 'Unknown') return { state, waitsFor: outcome.message };
  const time = pass.ports.clock.now();
  const draft =
    outcome.kind === 'Written'
      ? eventDraft(intent, { time, scale: outcome.scale })
      : failureDraft(intent, outcome.failure, time);
  const resolved = state === null ? null : resolvedState(state, outcome, time);
  const request = { drafts: [draft], ...(resolved === null ? {} : { states: [resolved] }) };
  const appended = await pass.deadline.race(append(pass.ports, request), ledgerAppend);
  if (appended.kind !== 'Stored') return { state, waitsFor: appended.outcome.message };
  report(pass, intent, outcome.kind);
  return { state: resolved, waitsFor: null };
}

function changesFrom(intent: RecordedScaling, scale: ScaleState): readonly ExternalChange[] {
  const account = new ReplicaAccount();
  account.restore(accountedBefore(intent));
  return account.accountFor(scale, 'CaughtUp').changes;
}

function accountedBefore({ payload }: RecordedScaling): AccountedReplicas {
  const { target, from, resourceVersion } = payload;
  return { uid: target.uid, replicas: from, resourceVersion };
}

function report({ ports }: FindingPass, { payload }: RecordedIntent, kind: WriteOutcome['kind']): void {
  const key = namespacedName(payload.policy);
  const what = 'verb' in payload ? `${payload.verb} of its HPA` : `${payload.from} → ${payload.to}`;
  const result = kind === 'Written' ? 'it was made' : 'it was not made';
  const text = `${key} ${what}  found out what became of a write without answer: ${result}`;
  ports.log.write({ level: 'info', text, fields: { policy: key, write: what, result: kind } });
}

/** A deletion that was just answered was never in doubt; where it was not made, its caller says so. */
function reportActuation(
  pass: FindingPass,
  { intent, answer }: AnsweredActuation,
  kind: WriteOutcome['kind'],
): void {
  if (answer === null || answer.outcome === 'Unknown') {
    report(pass, intent, kind);
    return;
  }
  if (kind !== 'Written') return;
  const { policy, reason } = intent.payload;
  const key = namespacedName(policy);
  const text = `${key}  HorizontalPodAutoscaler ${policy.name} deleted: ${reason}`;
  pass.ports.log.write({ level: 'info', text, fields: { policy: key, reason: 'HpaDeleted' } });
}

function inDoubt(message: string): PassOutcome {
  return {
    kind: 'Waiting',
    reason: 'WriteInDoubt',
    message: `a write was sent and not answered; finding out what became of it: ${message}`,
  };
}
