import type { EntryFormat, TextSpan } from './entry-hash.ts';
import type { EntryKind } from './entry-kind.ts';
import type { EntryNames } from './entry-names.ts';
import type { EntryPayloads } from './payloads/entry-payloads.ts';

/** The last entry of a stream: what the next one continues. */
export interface StreamHead {
  readonly stream: string;
  /** 0 for a stream without entries. */
  readonly seq: bigint;
  /** `genesisHash` for a stream without entries. */
  readonly hash: string;
}

/** What the first entry of a stream names as its predecessor. */
export const genesisHash = '0'.repeat(64);

/** The head of a stream without entries. */
export function emptyHead(stream: string): StreamHead {
  return { stream, seq: 0n, hash: genesisHash };
}

/** What every entry carries, whatever its kind. */
export interface EntryFrame {
  /** How `hash` is made. In a stream it never goes back. */
  readonly format: EntryFormat;
  readonly stream: string;
  /** From 1, without gaps. */
  readonly seq: bigint;
  /** The cluster's configured name. */
  readonly cluster: string;
  /** RFC 3339, in UTC. */
  readonly time: string;
  /** The predecessor's hash, `genesisHash` for the first. */
  readonly previousHash: string;
  /** SHA-256 of everything else, in the form that `format` says; see `docs/spec/ledger.md`. */
  readonly hash: string;
}

/** An entry of one kind. */
export interface EntryOf<K extends EntryKind> extends EntryFrame {
  readonly kind: K;
  readonly payload: EntryPayloads[K];
}

/** One record of the ledger. Narrow it by `kind`. */
export type LedgerEntry = { readonly [K in EntryKind]: EntryOf<K> }[EntryKind];

/** An entry as it is stored: its payload is canonical JSON text already, and what it is found by stands beside. */
export interface ChainedEntry extends EntryFrame, EntryNames {
  readonly kind: EntryKind;
  /** Canonical JSON. */
  readonly payloadText: string;
  /** Where a decision's observation stands in the payload, so that it can be stored apart; `null`: it has none. */
  readonly observation: TextSpan | null;
  /** `time`, as nanoseconds since 1970. */
  readonly timeNanoseconds: bigint;
  /** A `Decision`'s action. */
  readonly action: string | null;
  /** What lists show of a `Decision`, as a text; null: its payload is to be read for it. */
  readonly summary: string | null;
  /** Id of the intent that this entry is the outcome of. */
  readonly resolvesIntent: string | null;
}

/** An entry before it has a place. */
export type EntryDraft = { readonly [K in EntryKind]: DraftOf<K> }[EntryKind];

/** A draft of one kind. */
export interface DraftOf<K extends EntryKind> {
  readonly stream: string;
  readonly kind: K;
  /** RFC 3339, in UTC. */
  readonly time: string;
  /** A function where the payload names an entry of the same request: it is given those before it, in order. */
  readonly payload: EntryPayloads[K] | ((earlier: readonly ChainedEntry[]) => EntryPayloads[K]);
}
