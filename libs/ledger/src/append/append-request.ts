import type { Result } from '#kernel';
import type { ChainedEntry, EntryDraft } from '../entries/entry.ts';
import type { InterventionChanges } from '../entries/standing-intervention.ts';
import type { PolicyKey } from '../entries/stream-name.ts';
import type { AppendRefusal, JournalPlace, StoredSource } from '../ports/append-batch.ts';
import type { PolicyState, RecordedConditions } from '../ports/policy-state.ts';
import type { TokenChanges } from '../ports/token-store.port.ts';
import type { InvalidEntry } from './chain.ts';

/** States that refer to entries of their request. */
export interface DerivedStates {
  /** Whose states they are: known before there are entries, since the request's fences follow from it. */
  readonly policies: readonly PolicyKey[];
  readonly from: (appended: readonly ChainedEntry[]) => readonly PolicyState[];
}

export interface AppendRequest {
  /** At most `maximumBatchEntries`. */
  readonly drafts: readonly EntryDraft[];
  readonly states?: readonly PolicyState[] | DerivedStates;
  readonly conditions?: readonly RecordedConditions[];
  readonly forget?: readonly PolicyKey[];
  readonly interventions?: InterventionChanges;
  readonly tokens?: TokenChanges;
  /** Under the fences of their scopes, too. */
  readonly sources?: readonly StoredSource[];
  /** Over how many shards the policies are spread from now on: under the fences of all shards, of both numbers. */
  readonly shardCount?: number;
  /** Where the request is a replay of records of a journal: up to which of them. One such request waits at a time. */
  readonly journal?: JournalPlace;
}

/** Why a request was refused. Nothing of it was stored. */
export type AppendFailure =
  | AppendRefusal
  | InvalidEntry
  | { readonly code: 'QueueFull'; readonly message: string }
  | { readonly code: 'TooLarge'; readonly message: string };

/** What became of a request. */
export type Appended = Result<readonly ChainedEntry[], AppendFailure>;

/** How many states the request stores. */
export function stateCount({ states = [] }: AppendRequest): number {
  return 'policies' in states ? states.policies.length : states.length;
}

/** The states that the request stores with its entries. */
export function statesOf(
  { states = [] }: AppendRequest,
  appended: readonly ChainedEntry[],
): readonly PolicyState[] {
  return 'policies' in states ? states.from(appended) : states;
}
