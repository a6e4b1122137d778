import type { AppendRequest } from '../append/append-request.ts';
import type { ChainedEntry, EntryDraft } from '../entries/entry.ts';
import { entryId } from '../entries/entry-id.ts';
import { lateStream, policyOfStream, policyStream } from '../entries/stream-name.ts';
import type { JournalPlace } from '../ports/append-batch.ts';
import type { PolicyState } from '../ports/policy-state.ts';
import type { JournaledDraft, JournalRecord } from './journal-record.ts';

/**
 * `InOrder`: nobody has appended to the policies' streams since the records were made. `Late`: another process may have,
 * so the entries go to the late streams with their epoch, and change nothing.
 */
export type ReplayOrder = 'InOrder' | 'Late';

/** @throws Error on a draft whose payload depends on others, as an intent's does: a bug */
export function journalRecordOf(
  { drafts, states }: { readonly drafts: readonly EntryDraft[]; readonly states: readonly PolicyState[] },
  { number, scope, epoch }: { readonly number: number; readonly scope: string; readonly epoch: bigint },
): JournalRecord {
  return { number, scope, epoch: String(epoch), drafts: drafts.map(journaled), states };
}

function journaled({ stream, kind, time, payload }: EntryDraft): JournaledDraft {
  if (typeof payload === 'function') throw new Error(`a ${kind} is not for the journal`);
  return { stream, kind, time, payload };
}

/**
 * What appends records to the ledger.
 *
 * @param decisions ids of the latest decisions, by stream, for states that refer to one of an earlier record
 */
export function replayRequest(
  records: readonly JournalRecord[],
  order: ReplayOrder,
  { journal, decisions }: { readonly journal: string; readonly decisions: ReadonlyMap<string, string> },
): AppendRequest & { readonly journal: JournalPlace } {
  const states = order === 'Late' ? [] : lastStates(records);
  return {
    drafts: records.flatMap((record) => record.drafts.map((draft) => asDraft(draft, record, order))),
    states: {
      policies: states.map(({ policy }) => policy),
      from: (entries) => {
        const appended = newestDecisionIds(entries);
        return states.map((state) => withDecisionId(state, appended, decisions));
      },
    },
    journal: { id: journal, first: records[0]?.number ?? 0, number: records.at(-1)?.number ?? 0 },
  };
}

/** The streams of states that refer to a decision that is in none of the records. */
export function statesWithoutDecision(records: readonly JournalRecord[]): readonly string[] {
  const brought = new Set(
    records.flatMap(({ drafts }) => drafts.filter(isDecision).map(({ stream }) => stream)),
  );
  return lastStates(records)
    .filter(({ lastDecision }) => lastDecision?.entry === null)
    .map(({ policy }) => policyStream(policy))
    .filter((stream) => !brought.has(stream));
}

/** Ids of the latest decisions among entries, by stream. */
export function newestDecisionIds(entries: readonly ChainedEntry[]): ReadonlyMap<string, string> {
  return new Map(entries.filter(isDecision).map((entry) => [entry.stream, entryId(entry)]));
}

function isDecision({ kind }: { readonly kind: string }): boolean {
  return kind === 'Decision';
}

function asDraft(draft: JournaledDraft, { epoch }: JournalRecord, order: ReplayOrder): EntryDraft {
  const policy = policyOfStream(draft.stream);
  if (order === 'InOrder' || policy === null) return asEntryDraft(draft);
  return asEntryDraft({ ...draft, stream: lateStream(policy), payload: { ...draft.payload, epoch } });
}

/** The kind and the payload belonged together when they were written. */
function asEntryDraft(draft: JournaledDraft): EntryDraft {
  return draft as unknown as EntryDraft;
}

function lastStates(records: readonly JournalRecord[]): readonly PolicyState[] {
  const states = records.flatMap((record) => record.states);
  return [...new Map(states.map((state) => [policyStream(state.policy), state])).values()];
}

function withDecisionId(
  state: PolicyState,
  appended: ReadonlyMap<string, string>,
  earlier: ReadonlyMap<string, string>,
): PolicyState {
  const { lastDecision } = state;
  if (lastDecision?.entry !== null) return state;
  const stream = policyStream(state.policy);
  const entry = appended.get(stream) ?? earlier.get(stream) ?? null;
  return { ...state, lastDecision: { ...lastDecision, entry } };
}
