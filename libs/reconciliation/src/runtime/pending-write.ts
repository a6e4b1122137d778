import type { Memory } from '#decision';
import {
  type ActuationIntentPayload,
  entryId,
  type FieldDifference,
  type LedgerEntry,
  type ScalingIntentPayload,
} from '#ledger';
import type { NativeAutoscaler } from '../ports/native-autoscalers.port.ts';
import type { ScaleState } from '../ports/scale.port.ts';

/** A write that was announced: of a scale, or of a native HPA; its intent says which. */
export interface AnnouncedWrite {
  /** In force once the write was made; null: the memory there is. */
  readonly memoryIfWritten: Memory | null;
}

/** The intent of a write of a scale, as the ledger has it. */
export interface RecordedScaling {
  readonly kind: 'ScalingIntent';
  /** Of the entry. */
  readonly id: string;
  readonly payload: ScalingIntentPayload;
}

/** The intent of a write of an HPA, as the ledger has it. */
export interface RecordedActuation {
  readonly kind: 'ActuationIntent';
  /** Of the entry. */
  readonly id: string;
  readonly payload: ActuationIntentPayload;
}

export type RecordedIntent = RecordedScaling | RecordedActuation;

/** An entry as an intent; null: it is none. */
export function intentOf(entry: LedgerEntry): RecordedIntent | null {
  if (entry.kind === 'ScalingIntent') return { kind: entry.kind, id: entryId(entry), payload: entry.payload };
  if (entry.kind === 'ActuationIntent')
    return { kind: entry.kind, id: entryId(entry), payload: entry.payload };
  return null;
}

/** An HPA after a write. */
export interface WrittenHpa {
  /** Null: it was deleted. */
  readonly autoscaler: NativeAutoscaler | null;
  /** Fields that the API server did not keep; null: it made something else of it, and it is not known what. */
  readonly dropped: readonly FieldDifference[] | null;
}

interface Recorded {
  readonly write: AnnouncedWrite;
  readonly intent: RecordedIntent;
}

/** Why a write was not made. */
export interface WriteFailure {
  readonly code: string;
  readonly message: string;
  /** It was sent, and nothing shows that it was not made. */
  readonly mayHaveBeenMade?: boolean;
  /** Limits count it as made. */
  readonly countsAsMade?: boolean;
}

/**
 * How far a policy's write is.
 *
 * | state | the intent | the request |
 * | --- | --- | --- |
 * | `None` | has its outcome, or there is none | |
 * | `Announced` | may be durable | not sent |
 * | `Unlocated` | is durable, and which one it is must be looked up | may have been sent |
 * | `Recorded` | is durable | not sent |
 * | `Sent` | is durable | sent; its outcome is unknown |
 * | `Written`, `HpaWritten` | is durable, its outcome is not | carried out |
 * | `Failed` | is durable, its outcome is not | not carried out |
 */
export type PendingWriteState =
  | { readonly kind: 'None' }
  | { readonly kind: 'Announced'; readonly write: AnnouncedWrite }
  | { readonly kind: 'Unlocated'; readonly write: AnnouncedWrite }
  | (Recorded & { readonly kind: 'Recorded' | 'Sent' })
  | (Recorded & { readonly kind: 'Written'; readonly intent: RecordedScaling; readonly scale: ScaleState })
  | (Recorded & { readonly kind: 'HpaWritten'; readonly intent: RecordedActuation; readonly hpa: WrittenHpa })
  | (Recorded & { readonly kind: 'Failed'; readonly failure: WriteFailure });

type StateOf<K extends PendingWriteState['kind']> = Extract<PendingWriteState, { readonly kind: K }>;

/** What happens to a write. */
export type PendingWriteEvent =
  /** Its intent is about to be stored. */
  | { readonly kind: 'Announce'; readonly write: AnnouncedWrite }
  /** The intent was certainly not stored. */
  | { readonly kind: 'Withdraw' }
  /** The ledger has an intent without outcome, of this process or of one before. */
  | { readonly kind: 'Discover'; readonly write: AnnouncedWrite }
  /** That intent was looked up. */
  | { readonly kind: 'Locate'; readonly intent: RecordedIntent }
  /** The intent is durable. */
  | { readonly kind: 'Record'; readonly intent: RecordedIntent }
  | { readonly kind: 'Send' }
  | { readonly kind: 'Succeed'; readonly scale: ScaleState }
  | { readonly kind: 'SucceedHpa'; readonly hpa: WrittenHpa }
  | { readonly kind: 'Fail'; readonly failure: WriteFailure }
  /** The intent has its outcome in the ledger, or turned out to have one. */
  | { readonly kind: 'Resolve' };

/**
 * A policy's write from its announcement to the record of its outcome. While there is one, the policy does nothing else
 * than find out what became of it and record that: everything later builds on the count that it leaves.
 */
export class PendingWrite {
  #state: PendingWriteState = none;

  get state(): PendingWriteState {
    return this.#state;
  }

  /** What `policy_state` keeps of it; null: no write is pending. */
  get memoryIfWritten(): Memory | null {
    return this.#state.kind === 'None' ? null : this.#state.write.memoryIfWritten;
  }

  /** Takes the write one step further. @throws Error on a step that the protocol does not have: a bug */
  apply(event: PendingWriteEvent): void {
    const next = nextState(this.#state, event);
    if (next === null) throw new Error(`a write that is ${this.#state.kind} cannot ${event.kind}`);
    this.#state = next;
  }
}

const none: PendingWriteState = { kind: 'None' };

/** The protocol; null: it has no such step. */
export function nextState(state: PendingWriteState, event: PendingWriteEvent): PendingWriteState | null {
  switch (state.kind) {
    case 'None':
      return afterNone(event);
    case 'Announced':
      return afterAnnounced(state, event);
    case 'Unlocated':
      return afterUnlocated(state, event);
    case 'Recorded':
      return afterRecorded(state, event);
    case 'Sent':
      return afterSent(state, event);
    case 'Written':
    case 'HpaWritten':
    case 'Failed':
      return event.kind === 'Resolve' ? none : null;
  }
}

function afterNone(event: PendingWriteEvent): PendingWriteState | null {
  if (event.kind === 'Announce') return { kind: 'Announced', write: event.write };
  return event.kind === 'Discover' ? { kind: 'Unlocated', write: event.write } : null;
}

function afterAnnounced({ write }: StateOf<'Announced'>, event: PendingWriteEvent): PendingWriteState | null {
  if (event.kind === 'Record') return { kind: 'Recorded', write, intent: event.intent };
  if (event.kind === 'Discover') return { kind: 'Unlocated', write: event.write };
  return event.kind === 'Withdraw' ? none : null;
}

function afterUnlocated({ write }: StateOf<'Unlocated'>, event: PendingWriteEvent): PendingWriteState | null {
  if (event.kind === 'Locate') return { kind: 'Sent', write, intent: event.intent };
  return event.kind === 'Resolve' ? none : null;
}

function afterRecorded(state: Recorded, event: PendingWriteEvent): PendingWriteState | null {
  return event.kind === 'Send' ? { ...state, kind: 'Sent' } : afterFailure(state, event);
}

function afterSent(state: Recorded, event: PendingWriteEvent): PendingWriteState | null {
  const { write, intent } = state;
  if (event.kind === 'Succeed')
    return intent.kind === 'ScalingIntent' ? { kind: 'Written', write, intent, scale: event.scale } : null;
  if (event.kind === 'SucceedHpa')
    return intent.kind === 'ActuationIntent' ? { kind: 'HpaWritten', write, intent, hpa: event.hpa } : null;
  return event.kind === 'Resolve' ? none : afterFailure(state, event);
}

function afterFailure({ write, intent }: Recorded, event: PendingWriteEvent): PendingWriteState | null {
  return event.kind === 'Fail' ? { kind: 'Failed', write, intent, failure: event.failure } : null;
}
