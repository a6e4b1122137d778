import type { Result } from '#kernel';
import type { DecisionSummary } from '../entries/decision-summary.ts';
import type { EntryOf, LedgerEntry, StreamHead } from '../entries/entry.ts';
import type { EntryAddress } from '../entries/entry-id.ts';
import type { EntryKind } from '../entries/entry-kind.ts';
import type { StandingIntervention } from '../entries/standing-intervention.ts';
import type { PolicyKey } from '../entries/stream-name.ts';
import type { AppendBatch, AppendRefusal } from './append-batch.ts';
import type { EntryCursor } from './cursor.ts';
import type { PolicyState, RecordedConditions } from './policy-state.ts';

/** The maximum number of entries that one read returns. */
export const maximumPageLimit = 1_000;

/** The maximum number of pages, or of single entries, that are read at once. */
export const maximumPagesPerRead = 100;

/** The maximum number of entries that pages hold which are read at once. */
export const maximumEntriesPerRead = 5_000;

/** The maximum number of policies whose states or conditions are read at once: parsing them takes the main thread some 10 ms. */
export const maximumPoliciesPerRead = 250;

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
   * @throws AdapterError; nothing was stored, except perhaps where the code is `outcomeUnknown`.
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
  /** The decisions among the entries at 1 to `maximumPagesPerRead` addresses, likewise, in no order. */
  decisionSummariesAt(addresses: readonly EntryAddress[]): Promise<readonly DecisionSummary[]>;
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
  /**
   * The states of at most `maximumPoliciesPerRead` policies, by stream name; one without a state is left out.
   *
   * @throws AdapterError `RecordDamaged`
   */
  policyStates(policies: readonly PolicyKey[]): Promise<readonly PolicyState[]>;
  /**
   * Of at most `maximumPoliciesPerRead` states which `Decision` entries are the latest, by their ids: those recorded last,
   * whatever the clocks said. In the order of `policies`; null where no state says so.
   */
  latestDecisions(policies: readonly PolicyKey[]): Promise<readonly (string | null)[]>;
  /**
   * The conditions of at most `maximumPoliciesPerRead` policies, by stream name; one that has none is left out.
   *
   * @throws AdapterError `RecordDamaged`
   */
  policyConditions(policies: readonly PolicyKey[]): Promise<readonly RecordedConditions[]>;
  /** The interventions that stand, expired ones included, by id. */
  interventions(page: NamedPage): Promise<readonly StandingIntervention[]>;
  /** The number of the last record of a journal that the ledger has; 0: it has none. */
  journalPlace(id: string): Promise<number>;
}
