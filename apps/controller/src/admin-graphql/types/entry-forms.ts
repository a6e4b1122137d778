import type { Json, JsonObject } from '#kernel';
import {
  type DecisionSummary,
  type EntryFrame,
  entryId,
  type EntryKind,
  type EntryOf,
  type LedgerEntry,
  policyOfEntry,
  type ReviewedPullRequest,
} from '#ledger';
import type { ActuationIntent, ActuationOutcome, HpaObservation } from './actuation.type.ts';
import type { SummarizedDecision } from './asks-for-summaries.ts';
import type { AuditEntry } from './audit-entry.type.ts';
import type { PullRequest } from './commit.type.ts';
import type { Decision } from './decision.type.ts';
import type { DecisionRun, ScalingFailure, ScalingIntent } from './entries.type.ts';
import type {
  CommitReview,
  Diagnostic,
  PolicyChange,
  ScalingEvent,
  StrategyChange,
  SyncRun,
} from './events.type.ts';

/** The GraphQL form of an entry. */
export function toAuditEntry(entry: LedgerEntry): AuditEntry {
  switch (entry.kind) {
    case 'Decision':
      return toDecision(entry);
    case 'ScalingEvent':
      return toScalingEvent(entry);
    case 'ScalingIntent':
      return toScalingIntent(entry);
    case 'ScalingFailure':
      return toScalingFailure(entry);
    case 'ActuationIntent':
      return toActuationIntent(entry);
    case 'ActuationOutcome':
      return toActuationOutcome(entry);
    case 'PolicyChange':
      return toPolicyChange(entry);
    case 'SyncRun':
      return toSyncRun(entry);
    case 'CommitReview':
      return toCommitReview(entry);
    default:
      return toPlainEntry(entry);
  }
}

/** What every form has. */
function frameOf<K extends EntryKind>(
  entry: EntryFrame & { readonly kind: K },
): Omit<AuditEntry, 'policy'> & { readonly kind: K } {
  const { kind, time, cluster, hash, previousHash } = entry;
  return { id: entryId(entry), kind, time, cluster, hash, previousHash };
}

/** The GraphQL form of entries whose fields are those of their payload. */
function toPlainEntry(entry: LedgerEntry): AuditEntry {
  const policy = policyOfEntry(entry);
  return { policy, ...mutable(entry.payload), ...frameOf(entry) };
}

/** The GraphQL form of a decision. */
export function toDecision(entry: EntryOf<'Decision'>): Decision {
  const { payload } = entry;
  return {
    ...mutable(payload.decision),
    ...frameOf(entry),
    commit: payload.commit,
    departures: [...(payload.departures ?? [])],
    engineVersion: payload.engineVersion,
    input: payload.input,
  };
}

/** The GraphQL form of a decision of which no more is asked for. */
export function toSummarizedDecision(summary: DecisionSummary): SummarizedDecision {
  const { policy, action, reason, currentReplicas, desiredReplicas } = summary;
  return { ...frameOf(summary), policy, action, reason, currentReplicas, desiredReplicas };
}

/** The GraphQL form of a change of replicas. */
export function toScalingEvent(entry: EntryOf<'ScalingEvent'>): ScalingEvent {
  const { policy, origin, autoscaler, manager, from, to, reason, decision, commit } = entry.payload;
  return {
    ...frameOf(entry),
    policy,
    origin,
    autoscaler: autoscaler ?? null,
    manager,
    from,
    to,
    reason,
    decisionId: decision,
    commit,
  };
}

/** The GraphQL form of passes that repeated a decision. */
export function toDecisionRun(entry: EntryOf<'DecisionRun'>): DecisionRun {
  return { ...mutable(entry.payload), ...frameOf(entry) };
}

/** The GraphQL form of a write of a count that is announced. */
export function toScalingIntent(entry: EntryOf<'ScalingIntent'>): ScalingIntent {
  const { policy, from, to, reason, resourceVersion, decision, commit } = entry.payload;
  return { ...frameOf(entry), policy, from, to, reason, resourceVersion, decisionId: decision, commit };
}

/** The GraphQL form of a write of a count that changed nothing. */
export function toScalingFailure(entry: EntryOf<'ScalingFailure'>): ScalingFailure {
  const { policy, intent, code, message } = entry.payload;
  return { ...frameOf(entry), policy, intentId: intent, code, message };
}

/** The GraphQL form of a write of an HPA that is announced. */
export function toActuationIntent(entry: EntryOf<'ActuationIntent' | 'ActuationOutcome'>): ActuationIntent {
  const { drift, decision, ...payload } = entry.payload;
  return {
    ...mutable(payload),
    ...frameOf(entry),
    drift: drift?.kind ?? null,
    driftManager: drift?.manager ?? null,
    decisionId: decision,
  };
}

/** The GraphQL form of a write of an HPA. */
export function toActuationOutcome(entry: EntryOf<'ActuationOutcome'>): ActuationOutcome {
  const { intent, result, dropped, code, message } = mutable(entry.payload);
  return { ...toActuationIntent(entry), intentId: intent, result, dropped, code, message };
}

/** The GraphQL form of what an HPA's status said. */
export function toHpaObservation(entry: EntryOf<'HpaObservation'>): HpaObservation {
  return { ...mutable(entry.payload), ...frameOf(entry) };
}

/** The GraphQL form of a strategy change. */
export function toStrategyChange(entry: EntryOf<'StrategyChange'>): StrategyChange {
  return { ...mutable(entry.payload), ...frameOf(entry) };
}

/** The GraphQL form of a change of a policy. Entries of before this field existed say nothing about how one left. */
export function toPolicyChange(entry: EntryOf<'PolicyChange'>): PolicyChange {
  const { policy, source, before, after, departure, commit, operator = null } = entry.payload;
  return { ...frameOf(entry), policy, source, before, after, departure: departure ?? null, commit, operator };
}

/** The GraphQL form of a sync run. */
export function toSyncRun(entry: EntryOf<'SyncRun'>): SyncRun {
  const { source, outcome, message, commit, pullRequest, diagnostics } = entry.payload;
  return {
    ...frameOf(entry),
    policy: null,
    source,
    outcome,
    message,
    commit,
    pullRequest: toPullRequest(pullRequest ?? null),
    diagnostics: diagnostics.map(toDiagnostic),
  };
}

/** The GraphQL form of what a forge said of a commit. */
export function toCommitReview(entry: EntryOf<'CommitReview'>): CommitReview {
  const { source, commit, pullRequest } = entry.payload;
  return { ...frameOf(entry), policy: null, source, commit, pullRequest: toPullRequest(pullRequest) };
}

function toPullRequest(found: ReviewedPullRequest | null): PullRequest | null {
  return found === null ? null : { ...mutable(found), verified: true };
}

function toDiagnostic(diagnostic: JsonObject): Diagnostic {
  return {
    severity: textOf(diagnostic['severity']),
    code: textOf(diagnostic['code']),
    message: textOf(diagnostic['message']),
    file: textOf(diagnostic['file']),
    line: Number(diagnostic['line'] ?? 1),
    column: Number(diagnostic['column'] ?? 1),
    hint: typeof diagnostic['hint'] === 'string' ? diagnostic['hint'] : null,
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Mutable<T[Key]> }
    : T;

/** GraphQL's classes have mutable fields, and never write them. */
function mutable<T>(value: T): Mutable<T> {
  return value as Mutable<T>;
}
