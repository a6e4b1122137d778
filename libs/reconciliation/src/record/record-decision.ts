import { contractVersion, type DecideInput, type DecideOutput, engineVersion, type Memory } from '#decision';
import {
  type ChainedEntry,
  type DecisionPayload,
  type EntryDraft,
  foldDecision,
  type FoldedDecision,
  type LastDecision,
  type PolicyState,
} from '#ledger';
import { accountFor, type Accounting, type ExternalChange } from '../observe/replica-account.ts';
import type { Pass } from '../pass/pass.ts';
import type { PendingStrategy } from '../pass/policy-runtime.ts';
import type { ReplicaChange } from '../ports/replica-changes.port.ts';
import type { ScaleState } from '../ports/scale.port.ts';
import { announceStrategy, strategyAfter } from '../strategy/pending-strategy.ts';
import { reportStrategy } from '../strategy/report-strategy.ts';
import type { StrategyOutput } from '../strategy/strategy-changes.ts';
import { append, type Appended } from './append.ts';
import { decisionIdIn, externalDraft, intentDraft, strategyDraft } from './drafts.ts';

/** A decision with everything that came into it and out of it. */
export interface Decided {
  readonly input: DecideInput;
  readonly output: DecideOutput;
  /** The scale of the observation; null: it could not be read. */
  readonly scale: ScaleState | null;
}

/** What the next pass begins with. */
export interface NextMemory {
  /** While nothing is known of a write, or where there is none. */
  readonly memory: Memory;
  /** Null: there is no write. */
  readonly write: { readonly ifWritten: Memory; readonly ifFailed: Memory } | null;
}

interface Record {
  readonly pass: Pass;
  readonly decided: Decided;
  readonly next: NextMemory;
  readonly folded: FoldedDecision;
  readonly accounting: Accounting | null;
  readonly seen: readonly ReplicaChange[];
  readonly strategy: StrategyOutput;
  /** Its changes, from the moment that they may be stored; null: there are none. */
  readonly announced: PendingStrategy | null;
}

/**
 * Makes a pass's decision durable, in one transaction with everything that belongs to it: changes of replicas by
 * others, changes of strategy, the policy's state, and, where `next.write` announces one, the intent of a
 * write. What was not stored is told again by the next pass.
 */
export async function recordDecision(pass: Pass, decided: Decided, next: NextMemory): Promise<Appended> {
  const { runtime } = pass;
  const seen = runtime.changes;
  const accounting = decided.scale === null ? null : accountFor(runtime.account, seen, decided.scale);
  const folded = foldDecision(runtime.openRun, payloadOf(pass, decided));
  const strategy = strategyAfter(pass, decided.output);
  const announced = announceStrategy(pass, strategy, {
    scale: decided.scale,
    time: decided.output.decision.time,
  });
  const record = { pass, decided, next, folded, accounting, seen, strategy, announced };
  const appended = await append(pass, {
    drafts: draftsOf(record),
    states: (entries) => [stateOf(record, entries)],
  });
  if (appended.kind === 'Refused' && announced !== null) runtime.pendingStrategy = null;
  if (appended.kind !== 'Stored') return appended;
  tell(record);
  remember(record, appended.entries);
  return appended;
}

function draftsOf(record: Record): readonly EntryDraft[] {
  const { pass, decided, next, folded } = record;
  const { active, lastDecision } = pass.runtime;
  const drafts: EntryDraft[] = [...externalDrafts(record), ...strategyDrafts(record), ...folded.append];
  if (next.write === null || decided.scale === null) return drafts;
  const { decision } = decided.output;
  const write = {
    active,
    decision,
    scale: decided.scale,
    to: decision.desiredReplicas ?? decided.scale.specReplicas,
  };
  return [...drafts, intentDraft(write, lastDecision?.entry ?? null)];
}

function externalDrafts({ pass, decided, accounting }: Record): readonly EntryDraft[] {
  const { scale } = decided;
  if (accounting === null || scale === null) return [];
  const { time } = decided.output.decision;
  return accounting.changes.map((change) => externalDraft(pass.runtime.active, change, { scale, time }));
}

function strategyDrafts({ pass, decided, strategy }: Record): readonly EntryDraft[] {
  const { time } = decided.output.decision;
  return strategy.changes.map((change) => strategyDraft(pass.runtime.active, change, time));
}

function stateOf(record: Record, entries: readonly ChainedEntry[]): PolicyState {
  const { pass, decided, next, folded } = record;
  return pass.runtime.stateWith({
    memory: next.memory,
    memoryIfWritten: next.write?.ifWritten ?? null,
    openRun: folded.openRun,
    lastDecision: lastDecisionOf(record, entries),
    strategy: record.strategy.recorded,
    updatedAt: decided.output.decision.time,
  });
}

function tell({ pass, accounting, announced }: Record): void {
  for (const change of accounting?.changes ?? []) reportExternalChange(pass, change);
  if (announced === null) return;
  const { ports, runtime } = pass;
  reportStrategy({ ports, key: runtime.key, subject: announced.subject }, announced.changes);
}

/** Tells people that somebody else changed the replicas. */
function reportExternalChange({ ports, runtime }: Pass, { from, to, manager }: ExternalChange): void {
  const by = manager ?? 'somebody whom managedFields do not name';
  const text = `${runtime.key} ${from} → ${to}  scaled by ${by}`;
  ports.log.write({ level: 'info', text, fields: { policy: runtime.key, from, to, manager } });
}

function remember(record: Record, entries: readonly ChainedEntry[]): void {
  const { runtime } = record.pass;
  runtime.lastDecision = lastDecisionOf(record, entries);
  runtime.openRun = record.folded.openRun;
  runtime.recordedStrategy = record.strategy.recorded;
  if (record.announced !== null) runtime.pendingStrategy = null;
  if (record.accounting === null) return;
  runtime.account = record.accounting.account;
  runtime.dropChanges(record.seen);
}

function lastDecisionOf({ pass, decided }: Record, entries: readonly ChainedEntry[]): LastDecision | null {
  const { active, lastDecision } = pass.runtime;
  const entry = decisionIdIn(entries, active) ?? lastDecision?.entry;
  return entry === undefined ? null : { entry, decision: decided.output.decision };
}

function payloadOf({ runtime, options }: Pass, { input, output }: Decided): DecisionPayload {
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
  };
}
