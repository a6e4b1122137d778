import type { Condition, Decision, Memory } from '#decision';
import type { Result } from '#kernel';
import type { DecisionSummary } from '../entries/decision-summary.ts';
import type { ChainedEntry, EntryOf, LedgerEntry, StreamHead } from '../entries/entry.ts';
import type { EntryAddress } from '../entries/entry-id.ts';
import type { EntryKind } from '../entries/entry-kind.ts';
import type { HpaObservationPayload } from '../entries/payloads/hpa-payloads.ts';
import type { StandingIntervention } from '../entries/standing-intervention.ts';
import type { PolicyKey } from '../entries/stream-name.ts';
import type { OpenRun } from '../runs/fold-decision.ts';
import type { EntryCursor } from './cursor.ts';
import type { Fence } from './fence.port.ts';
import type { TokenChanges } from './token-store.port.ts';

/** The maximum number of entries that one read returns. */
export const maximumPageLimit = 1_000;

/** The maximum number of pages, or of single entries, that are read at once. */
export const maximumPagesPerRead = 100;

/** The maximum number of entries that pages hold which are read at once. */
export const maximumEntriesPerRead = 5_000;

/** The maximum number of policies whose states or conditions are read at once: parsing them takes the main thread some 10 ms. */
export const maximumPoliciesPerRead = 250;

/** The maximum number of entries per batch: about 100 ms of the database's writer. */
export const maximumBatchEntries = 5_000;

/**
 * The code of an `AdapterError` after which it is not known whether a batch was stored: it was, or it will be, or it
 * never will. Appending the same batch again finds out.
 */
export const outcomeUnknown = 'OutcomeUnknown';

/** What a restart restores of a policy: one mutable row per policy, outside the chain. */
export interface PolicyState {
  readonly policy: PolicyKey;
  /** The memory that the next decision starts from. */
  readonly memory: Memory;
  /** The memory to use instead where the pending intent turns out to have been written. */
  readonly memoryIfWritten: Memory | null;
  readonly openRun: OpenRun | null;
  /** The latest decision, folded or not; `null` before the first. */
  readonly lastDecision: LastDecision | null;
  /** How the policy was carried out when that was last recorded; `null`: written by a release without it. */
  readonly strategy: RecordedStrategy | null;
  /** Up to where changes of the target's replicas are in the stream; `null`: not known. */
  readonly account: AccountedReplicas | null;
  /** What others undid of it; `null`: nothing, or written by a release without it. */
  readonly contest: RecordedContest | null;
  /** The write of it that the API server refuses; `null`: none, or written by a release without it. */
  readonly refusal: RecordedRefusal | null;
  /** RFC 3339. */
  readonly updatedAt: string;
}

/** Writes of Plimsoll that others undid, so that a restart neither forgets a contest nor writes sooner in it. */
export interface RecordedContest {
  /** Plimsoll's write, where it was the last change of the target's replicas; `null`: it was not. */
  readonly write: { readonly from: number; readonly to: number } | null;
  /** The change of the policy's HPA by others that is counted and not corrected; `null`: none. */
  readonly drift: string | null;
  /** When the latest writes were undone, oldest first, RFC 3339; as many as begin a contest at most. */
  readonly reversedAt: readonly string[];
  /** Who undid the last one; `null`: not known. */
  readonly manager: string | null;
  /** Reversals since the contest began; 0: there is none. */
  readonly reversals: number;
}

/** A write that was refused and not made since, so that a restart does not try it sooner. */
export interface RecordedRefusal {
  readonly direction: 'Up' | 'Down';
  /** The replicas that were written to a scale, or in words what was done with the policy's HPA. */
  readonly wanted: number | string;
  /** Of the target; `null`: not known. */
  readonly targetUid: string | null;
  /** Of the policy: the commit and the file that brought it. */
  readonly version: string;
  /** Of the last refusal, as in its `ScalingFailure` or `ActuationOutcome`. */
  readonly code: string;
  /** What could not be done, and what the API server said. */
  readonly message: string;
  /** Of the first refusal, RFC 3339. */
  readonly since: string;
  /** When the latest ones were, oldest first, RFC 3339; as many as let writes wait at most. */
  readonly refusedAt: readonly string[];
  /** Refusals since writes began to wait; 0: none waits. */
  readonly refusals: number;
}

/** The count of a target that every replica is accounted for up to. */
export interface AccountedReplicas {
  /** The target's; `null`: not known. */
  readonly uid: string | null;
  readonly replicas: number;
  /** The target's version with that count; `null`: not known, so any change that is seen is later. */
  readonly resourceVersion: string | null;
}

/**
 * How a policy is carried out according to its stream. The next `StrategyChange` is the difference from it. It becomes
 * durable together with the entries that it reflects, so that none is appended twice. `null`: not recorded yet.
 */
export interface RecordedStrategy {
  /** The strategy that passes used, after the feature gate. */
  readonly selectionStrategy: string | null;
  /** The strategy in the policy at that time: where only the other field has changed, the settings changed it. */
  readonly writtenSelectionStrategy: string | null;
  readonly actuation: string | null;
  readonly algorithm: string | null;
  readonly enabled: string | null;
  /** The count that the policy, which was disabled, has yet to restore on `targetUid`; null or absent: none. */
  readonly restoreReplicas?: number | null;
  /** Uid of the target that the policy was carried out on last; null or absent: not known. */
  readonly targetUid?: string | null;
  /** The HPA that the policy is rendered into; null or absent: none was made. */
  readonly hpa?: RecordedHpa | null;
}

/** What is known of a policy's HPA: what was rendered last, and what the API server made of it. */
export interface RecordedHpa {
  /** Null: there is none. */
  readonly uid: string | null;
  /** Of the target that owns it; null: not known. */
  readonly targetUid: string | null;
  /** Digest of what was rendered last. */
  readonly rendered: string | null;
  /** Digest of the HPA that the API server answered with; null: there is none. */
  readonly answered: string | null;
  /** Null: the API server keeps all of it. */
  readonly unsupported: UnsupportedHpa | null;
  /** The latest status, folded; null: none was seen. */
  readonly observation: HpaObservationPayload | null;
}

/** What an API server does not support of what was rendered last. */
export interface UnsupportedHpa {
  readonly message: string;
  /** Null: not known. */
  readonly serverVersion: string | null;
  /** When the HPA was refused as a whole, RFC 3339; null: it was taken, without some fields. */
  readonly refusedAt: string | null;
}

/** A policy's latest decision, and the ledger entry of it or of the decision that it repeats. */
export interface LastDecision {
  /** Id of the `Decision` entry; `null`: it is in the journal of an outage, and has no number yet. */
  readonly entry: string | null;
  readonly decision: Decision;
}

/** What people see of a policy, with the times of the last transitions: one mutable row per policy, outside the chain. */
export interface RecordedConditions {
  readonly policy: PolicyKey;
  /** Empty: the policy left, and has none any more. */
  readonly conditions: readonly Condition[];
}

/** Where a source stands, as the sync stores it; what else it has is the sync's alone. */
export interface StoredSource {
  readonly source: string;
}

/** What becomes durable as a whole or not at all. */
export interface AppendBatch {
  /**
   * Made before the batch is sent, and never again under the same fence: a batch whose answer was lost is sent again
   * with its id.
   */
  readonly id: string;
  /** One per scope that the batch writes under; at least one. */
  readonly fences: readonly Fence[];
  /** At most `maximumBatchEntries`, in order within each stream. */
  readonly entries: readonly ChainedEntry[];
  /** The present heads of the streams of `entries`. */
  readonly before: readonly StreamHead[];
  /** Their heads after the batch; the same streams in the same order. */
  readonly after: readonly StreamHead[];
  readonly states: readonly PolicyState[];
  readonly conditions: readonly RecordedConditions[];
  /** Pruned policies, whose states and conditions are deleted. */
  readonly forget: readonly PolicyKey[];
  /** Interventions that begin. */
  readonly begin: readonly StandingIntervention[];
  /** Ids of interventions that end. */
  readonly end: readonly string[];
  readonly tokens: TokenChanges;
  /** Sources that stand elsewhere from now on; of one that is named twice the last. */
  readonly sources: readonly StoredSource[];
  /** Over how many shards the policies are spread from now on; absent: as many as before. */
  readonly shardCount?: number;
  /** Up to which record of a journal the ledger has everything once this is stored; absent: nothing came from one. */
  readonly journal?: JournalPlace;
}

/** A place in the journal of an outage. */
export interface JournalPlace {
  /** The journal's own. */
  readonly id: string;
  /** Of the first record that the batch holds, from 1: the ledger must have none that is later. */
  readonly first: number;
  /** Of the last one. */
  readonly number: number;
}

/** Why a batch was refused. Nothing of it was stored. */
export type AppendRefusal =
  /** Another process has taken a scope of the batch over: this process must stop writing under it. */
  | { readonly code: 'Fenced' }
  /** A stream of the batch has another head: read the heads again and chain the entries again. */
  | { readonly code: 'HeadMoved' }
  /** A policy of the batch has an intent without an outcome, which must be resolved first. */
  | { readonly code: 'IntentPending' }
  /** An outcome of the batch names an intent that has one already, or that does not exist. */
  | { readonly code: 'IntentNotPending' }
  /** An intervention that the batch ends does not stand: it has ended, or never began. */
  | { readonly code: 'InterventionEnded' }
  /** The ledger has the records of that place in the journal already. */
  | { readonly code: 'AlreadyReplayed' };

/** What is read of entries. */
export interface EntryReading {
  /** Decisions may come with `input.observation` null: to read it may take longer than all the rest. */
  readonly isWithoutObservations?: boolean;
}

/** Selects a page of decisions. */
export type DecisionQuery = Omit<EntryQuery, 'kinds' | 'isWithoutObservations'>;

/** Selects a page of entries. */
export interface EntryQuery extends EntryReading {
  /** At least one. */
  readonly kinds: readonly EntryKind[];
  /** Entries of one stream only. */
  readonly stream?: string;
  /** Entries of this policy's stream, and what operators did to it; in place of a stream. */
  readonly policy?: PolicyKey;
  /** With a policy: also what operators did to these scopes as a whole, by their names (`scopeName`); few. */
  readonly scopes?: readonly string[];
  /** With a policy: also what came late of it, from a process that had been taken over. */
  readonly isWithLate?: boolean;
  /**
   * Entries of policies in these namespaces only, and what operators did to them: names, or patterns in which `*` stands
   * for any text. Absent: entries of all streams, those that belong to no policy included.
   */
  readonly namespaces?: readonly string[];
  /** Only entries that name this person or token as the one who acted. */
  readonly actor?: string;
  /** Only entries that name this commit, by its full object name. */
  readonly commit?: string;
  /** Only decisions with this action; entries of other kinds have no action. */
  readonly action?: string;
  /** Nanoseconds since 1970, inclusive. */
  readonly from?: bigint;
  /** Nanoseconds since 1970, exclusive. */
  readonly until?: bigint;
  readonly order: 'NewestFirst' | 'OldestFirst';
  /** Only entries beyond this place. */
  readonly after?: EntryCursor;
  /** 1 to `maximumPageLimit`. */
  readonly limit: number;
}

export interface ListedEntry<E = LedgerEntry> {
  readonly entry: E;
  readonly cursor: EntryCursor;
}

/** A page in the requested order: by time, then by the place in the database. What comes last is {@link LedgerPort.newestEntry}. */
export interface EntryPage<E = LedgerEntry> {
  readonly items: readonly ListedEntry<E>[];
  readonly hasMore: boolean;
}

/** Selects entries that follow others in their streams. */
export interface FollowingEntries {
  readonly addresses: readonly EntryAddress[];
  /** At least one. */
  readonly kinds: readonly EntryKind[];
  /** How many numbers after each address are looked at: 1 to `maximumPageLimit`. */
  readonly within: number;
}

/** Selects a page of a list that is ordered by name. */
export interface NamedPage {
  /** Only names after this one; absent: from the beginning. */
  readonly after?: string;
  /** 1 to `maximumPageLimit`. */
  readonly limit: number;
}

/**
 * Stores entries and policy states. Every method throws an `AdapterError` where the database fails.
 */
export interface LedgerPort {
  /**
   * Stores a batch. A batch with the id of the one that its fences stored last is not stored again, and is answered as
   * it was the first time; so is one with entries whose answer was lost and whose fences were taken over since.
   *
   * @throws AdapterError; nothing was stored, except perhaps where the code is {@link outcomeUnknown}.
   */
  append(batch: AppendBatch): Promise<Result<undefined, AppendRefusal>>;
  /** Begins with what can be done for a batch before the one before it is stored. It is appended then, or never. */
  prepare?(batch: AppendBatch): void;
  /** The heads of at most `maximumBatchEntries` streams, in the order of `streams`. */
  heads(streams: readonly string[]): Promise<readonly StreamHead[]>;
  /** The heads of all streams with entries, by name. */
  listHeads(page: NamedPage): Promise<readonly StreamHead[]>;
  entry(address: EntryAddress, reading?: EntryReading): Promise<LedgerEntry | null>;
  /** The entries at 1 to `maximumPagesPerRead` addresses, in one read and in no order; those that do not exist are left out. */
  entriesAt(addresses: readonly EntryAddress[], reading?: EntryReading): Promise<readonly LedgerEntry[]>;
  /** The entry of a kind with the highest number in a stream, whatever the clocks said; `null` where there is none. */
  newestEntry<K extends EntryKind>(query: {
    readonly stream: string;
    readonly kind: K;
  }): Promise<EntryOf<K> | null>;
  entries(query: EntryQuery): Promise<EntryPage>;
  /**
   * Pages of 1 to `maximumPagesPerRead` lists of one order, in one read. Their limits may sum up to
   * `maximumEntriesPerRead`.
   */
  entryPages(queries: readonly EntryQuery[]): Promise<readonly EntryPage[]>;
  /** Such pages of decisions, without their payloads. */
  decisionSummaries(queries: readonly DecisionQuery[]): Promise<readonly EntryPage<DecisionSummary>[]>;
  /** The entries of one stream by number, after the number `after` (0: from the beginning). */
  streamEntries(page: {
    readonly stream: string;
    readonly after: bigint;
    readonly limit: number;
  }): Promise<readonly LedgerEntry[]>;
  /**
   * Entries of some kinds among those that follow 1 to `maximumPagesPerRead` entries in their streams, by stream and number,
   * in one read; one that follows several is there once.
   */
  entriesAfter(query: FollowingEntries): Promise<readonly LedgerEntry[]>;
  /** Intents without an outcome, by stream; at most one per policy. */
  pendingIntents(page: NamedPage): Promise<readonly LedgerEntry[]>;
  /** All policies that have a state or conditions, by stream name. */
  recordedPolicies(page: NamedPage): Promise<readonly PolicyKey[]>;
  /** The states of at most `maximumPoliciesPerRead` policies, by stream name; one without a state is left out. */
  policyStates(policies: readonly PolicyKey[]): Promise<readonly PolicyState[]>;
  /**
   * Of at most `maximumPoliciesPerRead` states which `Decision` entries are the latest, by their ids: those recorded last,
   * whatever the clocks said. In the order of `policies`; null where no state says so.
   */
  latestDecisions(policies: readonly PolicyKey[]): Promise<readonly (string | null)[]>;
  /** The conditions of at most `maximumPoliciesPerRead` policies, by stream name; one that has none is left out. */
  policyConditions(policies: readonly PolicyKey[]): Promise<readonly RecordedConditions[]>;
  /** The interventions that stand, expired ones included, by id. */
  interventions(page: NamedPage): Promise<readonly StandingIntervention[]>;
  /** The number of the last record of a journal that the ledger has; 0: it has none. */
  journalPlace(id: string): Promise<number>;
}
