import type { JsonObject } from '#kernel';

/** What a person or a token asked for, refusals included. */
export interface OperatorActionPayload {
  readonly actor: string;
  readonly action: string;
  /** `Forced`: accepted although guardrails or the tenant's limits say no, by an administrator who said `force`. */
  readonly outcome: 'Accepted' | 'Refused' | 'Forced';
  /** Why, in the actor's words; of what was refused, why it was. */
  readonly reason: string | null;
  /** The actor's words of what was refused, 1 to 1,000 characters; absent of the rest, and where there were none. */
  readonly givenReason?: string;
  /** The action's own arguments, secrets left out. */
  readonly arguments: JsonObject;
  /** What it does, as its dry run says: in a sentence, and per policy; absent of what is refused, and of earlier releases. */
  readonly effect?: JsonObject;
}

/** The controller's configuration differs from that of the last start. */
export interface SettingsChangePayload {
  readonly before: JsonObject | null;
  readonly after: JsonObject;
}

/** A signed Merkle root over the heads that all streams had before this entry. */
export interface CheckpointPayload {
  /** From 1, without gaps. */
  readonly number: string;
  /** The signed note, whole. */
  readonly note: string;
}

/** The key of the checkpoints changed: the old one says which comes after it. */
export interface KeyRotationPayload {
  /** Of the first checkpoint that the new key signs. */
  readonly number: string;
  /** The note that says so, whole, signed with both keys. */
  readonly note: string;
}

/** The key of the checkpoints is gone, and another signs from here on: nothing but this entry says that it may. */
export interface KeyLostPayload {
  /** Of the first checkpoint that the new key signs. */
  readonly number: string;
  /** The new public key: base64 of its 32 bytes. */
  readonly key: string;
  /** Who made the new key. */
  readonly actor: string;
  /** Why, in their words. */
  readonly reason: string;
}

/**
 * The database was restored from a backup, and checkpoints after it are known outside: what they cover is lost. The next
 * checkpoint follows the last of them, so that no number is signed twice.
 */
export interface LedgerGapPayload {
  /** Of the last checkpoint that is known outside. */
  readonly number: string;
  /** Its note, whole. */
  readonly note: string;
  /** The number of the last checkpoint that the restored ledger has; `0`: it has none. */
  readonly restored: string;
  /** When the backup was made, RFC 3339. */
  readonly backup: string;
}

/** What is deleted of the ledger: announced before it is, and counted after. */
export interface RetentionRunPayload {
  /** Those in force: of each kind, what is older than `before` goes. */
  readonly rules: readonly RetentionRule[];
  /** Entries that go whole, and what is left of them. */
  readonly segments: readonly ExpiredSegment[];
  /** `null`: it is about to be deleted. */
  readonly deleted: DeletedCounts | null;
}

/** Content of a kind that is deleted by age. */
export interface RetentionRule {
  readonly kind: string;
  /** `Observation` only of a `Decision`. */
  readonly content: 'Payload' | 'Observation';
  /** RFC 3339, exclusive. */
  readonly before: string;
}

/** Entries at the beginning of a stream that are deleted: from number 1. */
export interface ExpiredSegment {
  readonly stream: string;
  /** The number of the last of them. */
  readonly last: string;
  /** The hash of the last of them, which the next one names. */
  readonly hash: string;
}

export interface DeletedCounts {
  readonly payloads: number;
  readonly observations: number;
  readonly entries: number;
}
