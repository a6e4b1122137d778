import type { Memory, TimedReplicas } from '#decision';
import { addSeconds, compareInstants, parseInstant, spreadOf, toMillisecondText } from '#kernel';
import type { AccountedReplicas, PolicyState, RecordedContest, RecordedHpa, RecordedStrategy } from '#ledger';

/**
 * How long a state may differ from the stored one by repetition alone: a longer run of the same decision, and the same
 * recommendation again. It bounds what a crash loses of a run, and what {@link asRepeated} assumes.
 */
export const maximumRepetitionSeconds = 300;

/** What of a stored state the next one is compared with: the rest of it only grows with the entries of the policy. */
export interface StoredState extends Pick<
  PolicyState,
  'memory' | 'memoryIfWritten' | 'strategy' | 'account' | 'contest' | 'updatedAt'
> {
  /** Of the latest decision; null: it has no number yet, or there was none. */
  readonly entry: string | null;
}

/** The part of a state that is compared. */
export function storedPartOf(state: PolicyState): StoredState {
  const { memory, memoryIfWritten, strategy, account, contest, updatedAt, lastDecision } = state;
  return {
    memory,
    memoryIfWritten,
    strategy,
    account,
    contest,
    updatedAt,
    entry: lastDecision?.entry ?? null,
  };
}

/**
 * Whether a state without new entries need not be stored: a restart from the stored one, taken {@link asRepeated},
 * decides no differently. Each policy has its own time within the bound, so that they are not stored all at once.
 */
export function isRepetition(key: string, stored: StoredState, next: PolicyState): boolean {
  return (
    isRecent(key, stored.updatedAt, next.updatedAt) &&
    stored.entry === (next.lastDecision?.entry ?? null) &&
    stored.memoryIfWritten === null &&
    next.memoryIfWritten === null &&
    isSameAccount(stored.account, next.account) &&
    isSameContest(stored.contest, next.contest) &&
    isSameStrategy(stored.strategy, next.strategy) &&
    isSameMemory(stored.memory, next.memory)
  );
}

/**
 * A stored state as a restart takes it: its latest recommendation may have been repeated until the process ended, so it
 * counts up to the time when the state would have been stored again. A window that forgot it would shrink the workload.
 * Of a longer absence nothing is known: see `memoryAtReturn`.
 */
export function asRepeated(state: PolicyState, now: string): PolicyState {
  const { recommendations } = state.memory;
  const latest = latestOf(recommendations);
  const [stored, present] = [parseInstant(state.updatedAt), parseInstant(now)];
  if (!recommendations || latest === undefined || stored === undefined || present === undefined) return state;
  const end = addSeconds(stored, maximumRepetitionSeconds);
  if (compareInstants(present, stored) <= 0) return state;
  const time = compareInstants(present, end) < 0 ? now : toMillisecondText(end);
  const repeated = recommendations.map((entry) => (entry === latest ? { ...entry, time } : entry));
  return { ...state, memory: { ...state.memory, recommendations: repeated } };
}

function isRecent(key: string, storedAt: string, now: string): boolean {
  const [stored, present] = [parseInstant(storedAt), parseInstant(now)];
  if (stored === undefined || present === undefined) return false;
  const seconds = Math.floor((maximumRepetitionSeconds * (1 + spreadOf(key))) / 2);
  // A clock that was set back is a difference.
  return compareInstants(present, stored) >= 0 && compareInstants(present, addSeconds(stored, seconds)) < 0;
}

/** The same count of the same target: a later version of it with that count tells no more. */
function isSameAccount(stored: AccountedReplicas | null, next: AccountedReplicas | null): boolean {
  return stored?.uid === next?.uid && stored?.replicas === next?.replicas;
}

function isSameWrite(stored: RecordedContest['write'], next: RecordedContest['write']): boolean {
  return stored?.from === next?.from && stored?.to === next?.to;
}

const contestFields = ['drift', 'manager', 'reversals'] as const;

function isSameContest(stored: RecordedContest | null, next: RecordedContest | null): boolean {
  if (stored === next) return true;
  if (stored === null || next === null) return false;
  return (
    isSameWrite(stored.write, next.write) &&
    contestFields.every((field) => stored[field] === next[field]) &&
    isSameList(stored.reversedAt, next.reversedAt, (a, b) => a === b)
  );
}

const strategyFields = [
  'selectionStrategy',
  'writtenSelectionStrategy',
  'actuation',
  'algorithm',
  'enabled',
  'restoreReplicas',
  'targetUid',
] as const;

function isSameStrategy(stored: RecordedStrategy | null, next: RecordedStrategy | null): boolean {
  if (stored === null || next === null) return stored === next;
  return (
    strategyFields.every((field) => (stored[field] ?? null) === (next[field] ?? null)) &&
    isSameHpa(stored.hpa ?? null, next.hpa ?? null)
  );
}

const hpaFields = ['uid', 'targetUid', 'rendered', 'answered'] as const;
const unsupportedFields = ['message', 'serverVersion', 'refusedAt', 'changedAt'] as const;

/** An observation that says anything new comes with an entry; else its run is longer. */
function isSameHpa(stored: RecordedHpa | null, next: RecordedHpa | null): boolean {
  if (stored === null || next === null) return stored === next;
  return (
    hpaFields.every((field) => stored[field] === next[field]) &&
    unsupportedFields.every((field) => stored.unsupported?.[field] === next.unsupported?.[field]) &&
    (stored.observation === null) === (next.observation === null)
  );
}

function isSameMemory(stored: Memory, next: Memory): boolean {
  return (
    (stored.lastScaleTime ?? null) === (next.lastScaleTime ?? null) &&
    (stored.selectionStrategy ?? null) === (next.selectionStrategy ?? null) &&
    isSameList(stored.scaleUpEvents, next.scaleUpEvents, isSameEntry) &&
    isSameList(stored.scaleDownEvents, next.scaleDownEvents, isSameEntry) &&
    isSameList(
      stored.conditions,
      next.conditions,
      (a, b) =>
        a.type === b.type &&
        a.status === b.status &&
        a.reason === b.reason &&
        a.lastTransitionTime === b.lastTransitionTime,
    ) &&
    repeatsLatest(stored.recommendations, next.recommendations)
  );
}

/** Whether every recommendation since is the latest of the stored ones again. */
function repeatsLatest(stored: Memory['recommendations'], next: Memory['recommendations']): boolean {
  if (stored === next) return true;
  const latest = latestOf(stored);
  if (!stored || !next || latest === undefined) return false;
  return next.every(
    (entry, index) => entry.replicas === latest.replicas || isSameEntry(entry, stored[index]),
  );
}

function latestOf(entries: Memory['recommendations']): TimedReplicas | undefined {
  let latest: TimedReplicas | undefined;
  for (const entry of entries ?? []) if (latest === undefined || entry.time > latest.time) latest = entry;
  return latest;
}

function isSameEntry(a: TimedReplicas, b: TimedReplicas | undefined): boolean {
  return a.replicas === b?.replicas && a.time === b.time;
}

function isSameList<T>(
  a: readonly T[] | null | undefined,
  b: readonly T[] | null | undefined,
  isSame: (a: T, b: T) => boolean,
): boolean {
  const [left, right] = [a ?? [], b ?? []];
  if (left === right) return true;
  return (
    left.length === right.length &&
    left.every((item, index) => {
      const other = right[index];
      return other !== undefined && isSame(item, other);
    })
  );
}
