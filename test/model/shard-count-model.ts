/** Rules of a change of the number of shards, each of which a test takes away to see the model find what it is for. */
export interface CountRules {
  /** A replica reads the number once it has taken a shard, and gives the shard up where it believed in another. */
  readonly readUnderFence: boolean;
  /** Who changes the number takes the shards of both numbers, and not those of the new one alone. */
  readonly bothNumbers: boolean;
  /** The number is stored only under those fences. */
  readonly fencedStore: boolean;
}

export const allCountRules: CountRules = { readUnderFence: true, bothNumbers: true, fencedStore: true };

/** Who holds a row: replica 0 or 1, who changes the number, a process that is gone, or no one. */
type Holder = 0 | 1 | 'Change' | 'Gone' | null;

/** `Fenced`: it was taken, and the number is to be read. */
type Hold = 'None' | 'Fenced' | 'Held';

interface CountReplica {
  /** The number that it believes in. */
  readonly number: Count;
  /** By shard. */
  readonly holds: readonly [Hold, Hold];
}

/** One policy is of shard 0 by the first number, and of shard 1 by the second; both shards exist by both. */
type Count = 0 | 1;

interface CountState {
  readonly number: Count;
  /** By shard. */
  readonly rows: readonly [Holder, Holder];
  /** Rows that were not renewed for so long that another may take them. */
  readonly areExpired: readonly [boolean, boolean];
  readonly replicas: readonly [CountReplica, CountReplica];
  /** `Taken`: it has the shards; `Stored`: it has only to give them up. */
  readonly change: 'None' | 'Taken' | 'Stored';
}

/** What an exploration came to; `violation`: the rule that was broken, and the shortest way there. */
export interface CountExploration {
  readonly states: number;
  readonly violation: readonly string[] | null;
}

interface CountStep {
  readonly name: string;
  readonly next: CountState;
  /** A pause, or a crash: nothing may depend on it. */
  readonly isFault?: boolean;
}

const idle: CountReplica = { number: 0, holds: ['None', 'None'] };

const start: CountState = {
  number: 0,
  rows: [null, null],
  areExpired: [false, false],
  replicas: [idle, idle],
  change: 'None',
};

const both = [0, 1] as const;

interface FoundState {
  readonly state: CountState;
  /** The state before it, and the step from there; null: it is the first. */
  readonly by: { readonly from: string; readonly name: string } | null;
}

/** Every order of what two replicas do and who changes the number between two, to and fro, with pauses and crashes. */
export function exploreShardCount(rules: CountRules): CountExploration {
  const found = new Map<string, FoundState>();
  const sources = new Map<string, string[]>();
  const visit = (state: CountState, by: FoundState['by']): string => {
    const key = JSON.stringify(state);
    if (!found.has(key)) found.set(key, { state, by });
    return key;
  };
  visit(start, null);
  // What is found on the way is visited, too.
  for (const [key, { state }] of found) {
    if (both.every((index) => isWatching(state, index))) {
      return {
        states: found.size,
        violation: ['two replicas record entries of one policy', ...wayTo(key, found)],
      };
    }
    for (const { name, next, isFault = false } of stepsOf(state, rules)) {
      const to = visit(next, { from: key, name });
      if (!isFault) sources.set(to, [...(sources.get(to) ?? []), key]);
    }
  }
  const isWatched = leadingToWatched(found, sources);
  const lost = [...found.keys()].find((key) => !isWatched.has(key));
  const violation = lost === undefined ? null : ['the policy is never watched again', ...wayTo(lost, found)];
  return { states: found.size, violation };
}

/** States from which a way without a fault leads to one in which the policy is watched. */
function leadingToWatched(
  found: ReadonlyMap<string, FoundState>,
  sources: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const watched = [...found].filter(([, { state }]) => both.some((index) => isWatching(state, index)));
  const keys = new Set(watched.map(([key]) => key));
  for (const key of keys) for (const source of sources.get(key) ?? []) keys.add(source);
  return keys;
}

/** The steps to a state, from the first one. */
function wayTo(key: string, found: ReadonlyMap<string, FoundState>): readonly string[] {
  const way: string[] = [];
  for (let by = found.get(key)?.by; by; by = found.get(by.from)?.by) way.push(by.name);
  return way.reverse();
}

/** Whether the ledger takes what a replica records of the policy. */
function isWatching({ replicas, rows }: CountState, index: 0 | 1): boolean {
  const { number, holds } = replicas[index];
  return holds[number] === 'Held' && rows[number] === index;
}

function stepsOf(state: CountState, rules: CountRules): readonly CountStep[] {
  return [
    ...both.flatMap((index) => replicaSteps(state, index, rules)),
    ...changeSteps(state, rules),
    ...both.flatMap((shard) => expiry(state, shard)),
  ];
}

/** A holder that is paused or gone renews nothing; one that goes on may renew at any moment. */
function expiry(state: CountState, shard: 0 | 1): readonly CountStep[] {
  const isGone = state.rows[shard] === 'Gone';
  const isExpired = state.areExpired[shard];
  if (state.rows[shard] === null || (isGone && isExpired)) return [];
  const next = { ...state, areExpired: replaced(state.areExpired, shard, !isExpired) };
  const name = `the row of shard ${shard} ${isExpired ? 'is renewed' : 'expires'}`;
  return [{ name, next, isFault: !isExpired && !isGone }];
}

function replicaSteps(state: CountState, index: 0 | 1, rules: CountRules): readonly CountStep[] {
  const replica = state.replicas[index];
  const steps: CountStep[] = [];
  const step = (name: string, next: CountState, changed: CountReplica): void => {
    const replicas = replaced(next.replicas, index, changed);
    const isFault = name === 'crashes';
    steps.push({ name: `replica ${index} ${name}`, next: { ...next, replicas }, isFault });
  };
  if (replica.holds.every((hold) => hold === 'None')) {
    if (replica.number !== state.number)
      step('follows the number', state, { ...replica, number: state.number });
  } else {
    step('crashes', gone(state, index), idle);
    // It finds out by its next renewal, and starts anew.
    if (both.some((shard) => replica.holds[shard] !== 'None' && state.rows[shard] !== index))
      step('starts anew', gone(state, index), idle);
  }
  for (const shard of both) {
    const hold = (to: Hold): CountReplica => ({ ...replica, holds: replaced(replica.holds, shard, to) });
    if (replica.holds[shard] === 'None') {
      if (isFree(state, shard)) {
        step(
          `takes shard ${shard}`,
          taken(state, shard, index),
          hold(rules.readUnderFence ? 'Fenced' : 'Held'),
        );
      }
      continue;
    }
    const isRight = replica.number === state.number;
    if (replica.holds[shard] === 'Fenced' && isRight)
      step(`reads the number under shard ${shard}`, state, hold('Held'));
    else step(`gives shard ${shard} up`, givenUp(state, shard, index), hold('None'));
  }
  return steps;
}

function changeSteps(state: CountState, rules: CountRules): readonly CountStep[] {
  const other = state.number === 0 ? 1 : 0;
  const shards = rules.bothNumbers ? both : ([other] as const);
  if (state.change === 'None') {
    if (!shards.every((shard) => isFree(state, shard))) return [];
    const next = shards.reduce<CountState>((before, shard) => taken(before, shard, 'Change'), state);
    return [{ name: 'the change takes the shards', next: { ...next, change: 'Taken' } }];
  }
  const ended: CountState = { ...gone(state, 'Change'), change: 'None' };
  const left = both.reduce<CountState>((before, shard) => givenUp(before, shard, 'Change'), state);
  const steps = [
    { name: 'the change crashes', next: ended, isFault: true },
    { name: 'the change gives the shards up', next: { ...left, change: 'None' as const } },
  ];
  const isInForce = shards.every((shard) => state.rows[shard] === 'Change');
  if (state.change === 'Stored' || (rules.fencedStore && !isInForce)) return steps;
  return [
    ...steps,
    { name: 'the change stores the other number', next: { ...state, number: other, change: 'Stored' } },
  ];
}

function isFree({ rows, areExpired }: CountState, shard: 0 | 1): boolean {
  return rows[shard] === null || areExpired[shard];
}

function taken(state: CountState, shard: 0 | 1, holder: Holder): CountState {
  return {
    ...state,
    rows: replaced(state.rows, shard, holder),
    areExpired: replaced(state.areExpired, shard, false),
  };
}

function givenUp(state: CountState, shard: 0 | 1, holder: Holder): CountState {
  return state.rows[shard] === holder ? taken(state, shard, null) : state;
}

/** A process that starts anew is another holder. */
function gone(state: CountState, holder: Holder): CountState {
  const [first, second] = state.rows.map((row) => (row === holder ? 'Gone' : row));
  return { ...state, rows: [first ?? null, second ?? null] };
}

function replaced<T>(pair: readonly [T, T], index: 0 | 1, by: T): readonly [T, T] {
  return index === 0 ? [by, pair[1]] : [pair[0], by];
}
