import type { Json, JsonObject } from '#kernel';
import { entryId, type EntryOf } from '#ledger';
import type { ActuationOutcome, HpaObservation } from './types/actuation.type.ts';
import type { Decision } from './types/decision.type.ts';
import type { Diagnostic, PolicyChange, ScalingEvent, StrategyChange, SyncRun } from './types/events.type.ts';

/** The GraphQL form of a decision. */
export function toDecision(entry: EntryOf<'Decision'>): Decision {
  const { payload } = entry;
  return {
    ...mutable(payload.decision),
    id: entryId(entry),
    time: entry.time,
    commit: payload.commit,
    departures: [...(payload.departures ?? [])],
    input: payload.input,
  };
}

/** The GraphQL form of a change of replicas. */
export function toScalingEvent(entry: EntryOf<'ScalingEvent'>): ScalingEvent {
  const { policy, origin, autoscaler, manager, from, to, reason, decision, commit } = entry.payload;
  return {
    id: entryId(entry),
    time: entry.time,
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

/** The GraphQL form of a write of an HPA. */
export function toActuationOutcome(entry: EntryOf<'ActuationOutcome'>): ActuationOutcome {
  const { drift, decision, ...payload } = entry.payload;
  return {
    ...mutable(payload),
    id: entryId(entry),
    time: entry.time,
    drift: drift?.kind ?? null,
    driftManager: drift?.manager ?? null,
    decisionId: decision,
  };
}

/** The GraphQL form of what an HPA's status said. */
export function toHpaObservation(entry: EntryOf<'HpaObservation'>): HpaObservation {
  return { ...mutable(entry.payload), id: entryId(entry) };
}

/** The GraphQL form of a strategy change. */
export function toStrategyChange(entry: EntryOf<'StrategyChange'>): StrategyChange {
  return { id: entryId(entry), time: entry.time, ...entry.payload };
}

/** The GraphQL form of a change of a policy. Entries of before this field existed say nothing about how one left. */
export function toPolicyChange(entry: EntryOf<'PolicyChange'>): PolicyChange {
  const { policy, source, before, after, departure, commit } = entry.payload;
  const id = entryId(entry);
  return { id, time: entry.time, policy, source, before, after, departure: departure ?? null, commit };
}

/** The GraphQL form of a sync run. */
export function toSyncRun(entry: EntryOf<'SyncRun'>): SyncRun {
  const { source, outcome, message, commit, diagnostics } = entry.payload;
  return {
    id: entryId(entry),
    time: entry.time,
    source,
    outcome,
    message,
    commit,
    diagnostics: diagnostics.map(toDiagnostic),
  };
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
