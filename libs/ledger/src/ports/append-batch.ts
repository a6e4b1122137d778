import type { ChainedEntry, StreamHead } from '../entries/entry.ts';
import type { StandingIntervention } from '../entries/standing-intervention.ts';
import type { PolicyKey } from '../entries/stream-name.ts';
import type { Fence } from './fence.port.ts';
import type { PolicyState, RecordedConditions } from './policy-state.ts';
import type { TokenChanges } from './token-store.port.ts';

/** The maximum number of entries per batch: about 100 ms of the database's writer. */
export const maximumBatchEntries = 5_000;

/**
 * The code of an `AdapterError` after which it is not known whether a batch was stored: it was, or it will be, or it
 * never will. Appending the same batch again finds out.
 */
export const outcomeUnknown = 'OutcomeUnknown';

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
