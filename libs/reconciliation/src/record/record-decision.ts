import { contractVersion, type DecideInput, type DecideOutput, engineVersion, type Memory } from '#decision';
import {
  type ChainedEntry,
  type DecisionPayload,
  type EntryDraft,
  entryId,
  foldDecision,
  type FoldedDecision,
  isIntent,
  type LastDecision,
  type PolicyState,
  runEndOf,
} from '#ledger';
import { awaitWatch } from '../observe/await-watch.ts';
import { rememberDecided } from '../observe/memory-at-return.ts';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import { endedOutcome } from '../outcome/version-end.ts';
import type { Pass } from '../pass/pass.ts';
import { decisionIdIn } from '../policies/decision-id.ts';
import type { ScaleState } from '../ports/scale.port.ts';
import { subjectOf } from '../reporting/event-subject.ts';
import { reportStrategy } from '../reporting/report-strategy.ts';
import type { RecordedIntent } from '../runtime/pending-write.ts';
import type { Accounting } from '../runtime/replica-account.ts';
import type { StrategyOutput } from '../strategy/strategy-changes.ts';
import { actuationIntentDraft, actuationIntentPayload, type IntendedHpaWrite } from './actuation-drafts.ts';
import { type Appended, appendForPolicy, type InOutage } from './append.ts';
import { type IntendedWrite, intentDraft, scalingIntentPayload, strategyDraft } from './drafts.ts';
import { externalDrafts, reportExternalChanges } from './external-changes.ts';

/** A decision with everything that came into it and out of it. */
export interface Decided {
  readonly input: DecideInput;
  readonly output: DecideOutput;
  /** The scale of the observation; null: it could not be read. */
  readonly scale: ScaleState | null;
  /** How long the observation and the decision took. */
  readonly computationMilliseconds: number;
}

/** What the next pass begins with. */
export interface NextMemory {
  /** While nothing is known of a write, or where there is none. */
  readonly memory: Memory;
  /** Null: there is no write. */
  readonly write: { readonly ifWritten: Memory; readonly ifFailed: Memory } | null;
}

interface DecisionRecord {
  readonly pass: Pass;
  readonly decided: Decided;
  readonly next: NextMemory;
  /** Announced with the decision; null: none is. */
  readonly write: IntendedWrite | IntendedHpaWrite | null;
  readonly payload: DecisionPayload;
  readonly folded: FoldedDecision;
  /** Null: the scale could not be read. */
  readonly accounting: Accounting | null;
  readonly strategy: StrategyOutput;
  readonly observations: readonly EntryDraft[];
}

/**
 * Makes a pass's decision durable, in one transaction with everything that belongs to it: changes of replicas by
 * others, changes of strategy, the policy's state, and, where there is one, the intent of a write. What was not stored
 * is derived again by the next pass. Of a version that has ended nothing is stored.
 */
export async function recordDecision(
  pass: Pass,
  decided: Decided,
  announced: {
    readonly next: NextMemory;
    readonly write: IntendedWrite | IntendedHpaWrite | null;
    readonly strategy: StrategyOutput;
    /** How the policy's HPA acts otherwise than the decision. */
    readonly departures: readonly string[];
    /** What the status of the policy's HPA adds. */
    readonly observations: readonly EntryDraft[];
  },
): Promise<Appended | { readonly kind: 'VersionEnded'; readonly outcome: PassOutcome }> {
  const { runtime } = pass;
  const { policy } = runtime.active;
  const { scale } = decided;
  const progress = scale === null ? null : await awaitWatch(pass, scale);
  const end = pass.versionEnd();
  if (end !== null) return { kind: 'VersionEnded', outcome: endedOutcome(end) };
  const payload = payloadOf(pass, decided, announced.departures);
  const record: DecisionRecord = {
    pass,
    decided,
    ...announced,
    accounting: scale === null || progress === null ? null : runtime.replicas.accountFor(scale, progress),
    payload,
    folded: foldDecision(runtime.kept.openRun, payload, runtime.kept.runEnd),
  };
  const write = announceWrite(record);
  const drafts = draftsOf(record);
  if (write === null && drafts.length === 0 && goOn(record)) return { kind: 'Stored', entries: [] };
  return appendForPolicy(pass, {
    request: { drafts, states: { policies: [policy], from: (entries) => [stateOf(record, entries)] } },
    onStored: (entries) => commit(record, entries),
    onRefused: (code) => {
      if (write === null) return;
      // The ledger knows of an intent that this process does not: the next pass looks it up.
      const isOther = code === 'IntentPending';
      runtime.pendingWrite.apply(isOther ? { kind: 'Discover', write: unknownWrite } : { kind: 'Withdraw' });
    },
    inOutage: journaling(record),
  });
}

/** Everything of the record but its intent, since nothing is written to Kubernetes meanwhile. */
function journaling(record: DecisionRecord): InOutage {
  const { runtime } = record.pass;
  const drafts = recordDrafts(record);
  const isNew = record.folded.append.some(({ kind }) => kind === 'Decision');
  const state: PolicyState = { ...stateOf(record, []), memoryIfWritten: null };
  // Its number is not known before it is in the ledger.
  const lastDecision = isNew ? { entry: null, decision: record.decided.output.decision } : state.lastDecision;
  const journaled = { ...state, lastDecision };
  return {
    request: () => ({
      drafts,
      states: [journaled],
      onReplayed: (entries) => runtime.kept.noteDecisionId(decisionIdIn(entries, runtime.active)),
    }),
    onJournaled: () => {
      runtime.kept.commit(journaled);
      runtime.kept.noteRunEnd(runEndOf(record.payload));
      if (record.accounting !== null) runtime.replicas.accept(record.accounting);
      report(record);
    },
  };
}

const unknownWrite = { memoryIfWritten: null };

/** From here on an intent may be stored. */
function announceWrite({ pass, decided, next, write }: DecisionRecord): DecisionRecord['write'] {
  const { runtime } = pass;
  rememberDecided(pass, next.memory, decided);
  if (write === null) return null;
  const memoryIfWritten = next.write?.ifWritten ?? null;
  runtime.pendingWrite.apply({ kind: 'Announce', write: { memoryIfWritten } });
  return write;
}

/** All but the intent. */
function recordDrafts(record: DecisionRecord): readonly EntryDraft[] {
  const { folded, observations } = record;
  return [...changeDrafts(record), ...strategyDrafts(record), ...observations, ...folded.append];
}

function draftsOf(record: DecisionRecord): readonly EntryDraft[] {
  const { pass, write } = record;
  const drafts = recordDrafts(record);
  if (write === null) return drafts;
  const lastDecision = pass.runtime.kept.lastDecision?.entry ?? null;
  const intent =
    write.kind === 'Hpa' ? actuationIntentDraft(write, lastDecision) : intentDraft(write, lastDecision);
  return [...drafts, intent];
}

function changeDrafts({ pass, decided, accounting }: DecisionRecord): readonly EntryDraft[] {
  if (accounting === null) return [];
  return externalDrafts(pass, { accounting, time: decided.output.decision.time });
}

function strategyDrafts({ pass, decided, strategy }: DecisionRecord): readonly EntryDraft[] {
  const { time } = decided.output.decision;
  return strategy.changes.map((change) => strategyDraft(pass.runtime.active, change, time));
}

function stateOf(record: DecisionRecord, entries: readonly ChainedEntry[]): PolicyState {
  const { pass, decided, next, folded, accounting } = record;
  const { replicas } = pass.runtime;
  return pass.runtime.stateWith({
    memory: next.memory,
    memoryIfWritten: next.write?.ifWritten ?? null,
    openRun: folded.openRun,
    lastDecision: lastDecisionOf(record, entries),
    strategy: record.strategy.recorded,
    account: accounting === null ? replicas.accounted : replicas.accountedAfter(accounting),
    updatedAt: decided.output.decision.time,
  });
}

/** Where nothing needs to be stored, takes it for durable: a restart decides as if it were. @returns whether it did */
function goOn(record: DecisionRecord): boolean {
  const { pass, accounting } = record;
  const state = stateOf(record, []);
  const { key, kept, replicas } = pass.runtime;
  if (!kept.isRepetition(key, state)) return false;
  kept.goOn(state);
  kept.noteRunEnd(runEndOf(record.payload));
  if (accounting !== null) replicas.accept(accounting);
  return true;
}

/** What follows from the record's being durable. */
function commit(record: DecisionRecord, entries: readonly ChainedEntry[]): void {
  const { pass, accounting, write } = record;
  const { runtime } = pass;
  const lastDecision = runtime.kept.lastDecision?.entry ?? null;
  runtime.kept.commit(stateOf(record, entries));
  runtime.kept.noteRunEnd(runEndOf(record.payload));
  if (accounting !== null) runtime.replicas.accept(accounting);
  if (write !== null)
    runtime.pendingWrite.apply({ kind: 'Record', intent: recordedIntent(write, { entries, lastDecision }) });
  report(record);
}

/** The intent among the entries of its request. @throws Error where there is none: a bug */
function recordedIntent(
  write: IntendedWrite | IntendedHpaWrite,
  stored: { readonly entries: readonly ChainedEntry[]; readonly lastDecision: string | null },
): RecordedIntent {
  const entry = stored.entries.findLast(({ kind }) => isIntent(kind));
  if (entry === undefined) throw new Error('a write was announced without an intent');
  const id = entryId(entry);
  return write.kind === 'Hpa'
    ? { kind: 'ActuationIntent', id, payload: actuationIntentPayload(write, stored) }
    : { kind: 'ScalingIntent', id, payload: scalingIntentPayload(write, stored) };
}

function report({ pass, decided, accounting, strategy }: DecisionRecord): void {
  reportExternalChanges(pass, accounting?.changes ?? []);
  if (strategy.changes.length === 0) return;
  const { ports, runtime } = pass;
  const subject = subjectOf(pass, decided.scale);
  reportStrategy({ ports, key: runtime.key, subject }, strategy.changes);
}

function lastDecisionOf(
  { pass, decided }: DecisionRecord,
  entries: readonly ChainedEntry[],
): LastDecision | null {
  const { active, kept } = pass.runtime;
  const entry = decisionIdIn(entries, active) ?? kept.lastDecision?.entry;
  return entry === undefined ? null : { entry, decision: decided.output.decision };
}
function payloadOf(
  { runtime, options }: Pass,
  { input, output }: Decided,
  departures: readonly string[],
): DecisionPayload {
  const { policy, document, origin } = runtime.active;
  return {
    policy: { namespace: policy.namespace, name: policy.name },
    commit: origin.commit,
    engineVersion,
    contractVersion,
    input: {
      policy: document,
      settings: options.settings,
      observation: input.observation,
      memory: input.memory,
    },
    decision: output.decision,
    ...(departures.length > 0 && { departures }),
  };
}
