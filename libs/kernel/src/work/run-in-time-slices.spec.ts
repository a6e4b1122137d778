import { describe, expect, it } from '@jest/globals';
import { runInTimeSlices, type SliceClock, sliceMilliseconds, sortInSteps } from './run-in-time-slices.ts';
import { runSteps } from './run-steps.ts';

/** Moves by a given time at each step, and counts what was done at each turn. */
class StepClock implements SliceClock {
  readonly doneAtTurns: number[] = [];
  done = 0;
  #now = 0;

  monotonicMilliseconds(): number {
    return this.#now;
  }

  noteWork(): void {
    // Nothing watches this thread.
  }

  *steps(count: number, milliseconds: number): Generator<void, string, void> {
    for (let step = 0; step < count; step++) {
      this.#now += milliseconds;
      this.done++;
      yield;
    }
    return 'result';
  }

  nextTurn(): Promise<void> {
    this.doneAtTurns.push(this.done);
    // What waits takes its time too, and is not counted against the next slice.
    this.#now += 1000;
    return Promise.resolve();
  }
}

describe('work in slices', () => {
  it('lets the loop turn whenever a slice is used up', async () => {
    const clock = new StepClock();
    await expect(runInTimeSlices(clock.steps(10, sliceMilliseconds / 4), clock, 'work')).resolves.toBe(
      'result',
    );
    expect(clock.doneAtTurns).toEqual([4, 8]);
  });

  it('takes no turn for work that one slice holds', async () => {
    const clock = new StepClock();
    await runInTimeSlices(clock.steps(10, 1), clock, 'work');
    expect(clock.doneAtTurns).toEqual([]);
  });

  it('turns after each step that is longer than a slice', async () => {
    const clock = new StepClock();
    await runInTimeSlices(clock.steps(3, sliceMilliseconds * 50), clock, 'work');
    expect(clock.doneAtTurns).toEqual([1, 2, 3]);
  });

  it('turns at its end where most of a slice is used up, for what follows', async () => {
    const clock = new StepClock();
    await runInTimeSlices(clock.steps(3, sliceMilliseconds / 4), clock, 'work');
    expect(clock.doneAtTurns).toEqual([3]);
  });

  it('throws what a step throws', async () => {
    const steps: Iterator<void, never, void> = {
      next: () => {
        throw new Error('broken step');
      },
    };
    await expect(runInTimeSlices(steps, new StepClock(), 'work')).rejects.toThrow('broken step');
  });
});

describe('sorting in steps', () => {
  const byRank = (one: { readonly rank: number }, other: { readonly rank: number }): number =>
    one.rank - other.rank;
  const itemsOf = (count: number): readonly { readonly rank: number; readonly place: number }[] =>
    Array.from({ length: count }, (_, place) => ({ rank: (place * 7_919) % 97, place }));

  it.each([0, 1, 256, 257, 1_000, 5_001])('sorts %i items stably', (count) => {
    const items = itemsOf(count);
    expect(runSteps(sortInSteps(items, byRank))).toEqual(items.toSorted(byRank));
  });

  it('compares a few hundred items a step at most', () => {
    let compared = 0;
    const steps = sortInSteps(itemsOf(5_000), (one, other) => {
      compared += 1;
      return byRank(one, other);
    });
    for (let before = 0; steps.next().done !== true; before = compared)
      expect(compared - before).toBeLessThan(256 * 8);
  });
});
