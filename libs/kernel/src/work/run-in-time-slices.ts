/**
 * Milliseconds of work in one piece. A request and a decision wait no longer than this and one step; shorter slices
 * would spend more on the turns between them.
 */
export const sliceMilliseconds = 20;

/** What work is cut into slices with. */
export interface SliceClock {
  /** A clock that never goes back. */
  monotonicMilliseconds(): number;
  /** Resolves after the loop has served whatever else waits. */
  nextTurn(): Promise<void>;
  /** Names what begins now and may hold the thread. */
  noteWork(work: string): void;
}

/**
 * Takes the steps to their end, and lets the loop serve whatever else waits whenever a slice is used up. A single step
 * is never cut.
 *
 * @param work names the steps where they hold the thread: `sync: surveying the tree`
 * @throws what a step throws.
 */
export async function runInTimeSlices<T>(
  steps: Iterator<void, T, void>,
  clock: SliceClock,
  work: string,
): Promise<T> {
  let started = clock.monotonicMilliseconds();
  clock.noteWork(work);
  for (;;) {
    const step = steps.next();
    const elapsed = clock.monotonicMilliseconds() - started;
    if (step.done === true) {
      // What follows begins a slice of its own: the two together must not hold the thread.
      if (elapsed > sliceMilliseconds / 2) await clock.nextTurn();
      return step.value;
    }
    if (elapsed < sliceMilliseconds) continue;
    await clock.nextTurn();
    clock.noteWork(work);
    started = clock.monotonicMilliseconds();
  }
}

/** Maps items, one per step. */
export function* mapInSteps<T, U>(
  items: Iterable<T>,
  map: (item: T) => U,
): Generator<void, readonly U[], void> {
  const mapped: U[] = [];
  for (const item of items) {
    mapped.push(map(item));
    yield;
  }
  return mapped;
}

/** Keeps the items that pass, one per step. */
export function* filterInSteps<T>(
  items: Iterable<T>,
  passes: (item: T) => boolean,
): Generator<void, readonly T[], void> {
  const kept: T[] = [];
  for (const item of items) {
    if (passes(item)) kept.push(item);
    yield;
  }
  return kept;
}

/** As many as are sorted at once: well below a millisecond, whatever compares them. */
const sortedAtOnce = 256;

/** Sorts items, stably, one comparison of parts that are sorted already per step. */
export function* sortInSteps<T extends object>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
): Generator<void, readonly T[], void> {
  if (items.length <= sortedAtOnce) return items.toSorted(compare);
  const middle = Math.floor(items.length / 2);
  const left = yield* sortInSteps(items.slice(0, middle), compare);
  yield;
  const right = yield* sortInSteps(items.slice(middle), compare);
  const sorted: T[] = [];
  let taken = 0;
  for (const item of right) {
    for (let next = left[taken]; next !== undefined && compare(next, item) <= 0; next = left[taken]) {
      sorted.push(next);
      taken += 1;
      yield;
    }
    sorted.push(item);
    yield;
  }
  return [...sorted, ...left.slice(taken)];
}
