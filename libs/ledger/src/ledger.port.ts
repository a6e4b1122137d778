import type { Decision, Memory } from '#decision';
import type { Result } from '#kernel';
import type { EntryCursor } from './cursor.ts';
import type { ChainedEntry, LedgerEntry, StreamHead } from './entry.ts';
import type { EntryAddress } from './entry-id.ts';
import type { EntryKind } from './entry-kind.ts';
import type { OpenRun } from './run/open-run.ts';
import type { PolicyKey } from './stream-name.ts';

/** The most entries that one read returns. */
export const maximumPageLimit = 1_000;

/** The most entries that one batch appends: about 100 ms of the writer. */
export const maximumBatchEntries = 5_000;

/** The right to append, handed out by `takeOver`. A later take-over of the same scope ends it. */
export interface Fence {
  /** What is taken over as one: `ledger`, or a shard. */
  readonly scope: string;
  readonly epoch: bigint;
}

/** What a restart restores of a policy. One mutable row a policy, outside the chain. */
export interface PolicyState {
  readonly policy: PolicyKey;
  /** The decision contract's memory that the next pass begins with. */
  readonly memory: Memory;
  /** The memory in force instead, should the pending intent turn out to have been carried out. */
  readonly memoryIfWritten: Memory | null;
  readonly openRun: OpenRun | null;
  /** The latest decision, folded or not, for status; `null` before the first. */
  readonly lastDecision: LastDecision | null;
  /** What the stream says last of how the policy is carried out; `null`: written by a release that did not say. */
  readonly strategy: RecordedStrategy | null;
  /** RFC 3339. */
  readonly updatedAt: string;
}

/**
 * How a policy is carried out, as its stream says it: what the next `StrategyChange` is told from. It becomes durable
 * with the entries that say it, so that none is made twice. `null`: not said yet.
 */
export interface RecordedStrategy {
  /** What passes asked for, the gate applied. */
  readonly selectionStrategy: string | null;
  /** What the policy itself said then: where only the other has changed, the settings changed it. */
  readonly writtenSelectionStrategy: string | null;
  readonly actuation: string | null;
  readonly algorithm: string | null;
  readonly enabled: string | null;
}

/** A policy's latest decision, and where it, or the one it repeats, is in the ledger. */
export interface LastDecision {
  /** Id of the `Decision` entry. */
  readonly entry: string;
  readonly decision: Decision;
}

/** Everything that becomes durable together, or not at all. */
export interface AppendBatch {
  readonly fence: Fence;
  /** At most `maximumBatchEntries`; each stream's in order. */
  readonly entries: readonly ChainedEntry[];
  /** Where the streams of `entries` end now. */
  readonly before: readonly StreamHead[];
  /** Where they end then; the same streams in the same order. */
  readonly after: readonly StreamHead[];
  readonly states: readonly PolicyState[];
  /** Policies whose state goes, since they were pruned. */
  readonly forget: readonly PolicyKey[];
}

/** Why a batch was refused; nothing of it was stored. */
export type AppendRefusal =
  /** Someone took the scope over: this process must stop writing. */
  | { readonly code: 'Fenced' }
  /** Some stream of the batch has moved: read the heads again, and chain again. */
  | { readonly code: 'HeadMoved' }
  /** Some policy of the batch has an intent without outcome: resolve that one first. */
  | { readonly code: 'IntentPending' }
  /** Some outcome of the batch names an intent that has an outcome, or that never was. */
  | { readonly code: 'IntentNotPending' };

/** Which entries, and which page of them. */
export interface EntryQuery {
  /** At least one. */
  readonly kinds: readonly EntryKind[];
  /** Entries of one stream only. */
  readonly stream?: string;
  /** Decisions with this action only; entries of other kinds have none. */
  readonly action?: string;
  /** Nanoseconds since 1970, inclusive. */
  readonly from?: bigint;
  /** Nanoseconds since 1970, exclusive. */
  readonly until?: bigint;
  readonly order: 'NewestFirst' | 'OldestFirst';
  /** Entries beyond this place. */
  readonly after?: EntryCursor;
  /** 1 to `maximumPageLimit`. */
  readonly limit: number;
}

/** An entry in a list. */
export interface ListedEntry {
  readonly entry: LedgerEntry;
  readonly cursor: EntryCursor;
}

/** A page, in the order asked for: by time, then by the place in the database. */
export interface EntryPage {
  readonly items: readonly ListedEntry[];
  readonly hasMore: boolean;
}

/** A page of a list that is ordered by name. */
export interface NamedPage {
  /** Beyond this name; absent: from the beginning. */
  readonly after?: string;
  /** 1 to `maximumPageLimit`. */
  readonly limit: number;
}

/**
 * Where entries and policy states are kept. Whatever goes wrong outside the process is thrown as an `AdapterError`;
 * after one with code `Timeout` nobody knows whether a batch was stored, so the heads are read again.
 */
export interface LedgerPort {
  /** Takes a scope over; appends under an earlier fence of it are refused from now on. */
  takeOver(scope: string): Promise<Fence>;
  append(batch: AppendBatch): Promise<Result<undefined, AppendRefusal>>;
  /** Where these streams end, at most `maximumBatchEntries` of them; the order is theirs. */
  heads(streams: readonly string[]): Promise<readonly StreamHead[]>;
  /** All streams that have entries, by name. */
  listHeads(page: NamedPage): Promise<readonly StreamHead[]>;
  entry(address: EntryAddress): Promise<LedgerEntry | null>;
  entries(query: EntryQuery): Promise<EntryPage>;
  /** One stream's entries by number, from `after` (exclusive; 0: the beginning): what a verification reads. */
  streamEntries(page: {
    readonly stream: string;
    readonly after: bigint;
    readonly limit: number;
  }): Promise<readonly LedgerEntry[]>;
  /** Intents without outcome, by stream: at most one a policy. */
  pendingIntents(page: NamedPage): Promise<readonly LedgerEntry[]>;
  /** All policies' states, by stream name. */
  policyStates(page: NamedPage): Promise<readonly PolicyState[]>;
}
