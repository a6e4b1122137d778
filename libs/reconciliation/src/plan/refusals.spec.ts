import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Moment } from '../ports/clock.port.ts';
import { describeRefusal, type RefusableWrite, Refusals, refusalWaitSeconds } from './refusals.ts';

const minute = 60_000;
const write: RefusableWrite = { direction: 'Down', wanted: 2, targetUid: 'uid', version: 'fleet 1 a.yaml' };
const forbidden = { code: 'Forbidden', message: 'could not scale to 2: it is forbidden' };
const unavailable = { code: 'ServerError', message: 'could not scale to 2: failed calling webhook' };

function moment(now: number): Moment {
  return { time: new Date(Date.UTC(2026, 10, 20, 12) + now).toISOString(), monotonicMilliseconds: now };
}

let refusals: Refusals;

beforeEach(() => {
  refusals = new Refusals();
});

function refuse(times: readonly number[], changes: Partial<RefusableWrite> = {}): void {
  for (const now of times) refusals.note({ ...write, ...changes }, forbidden, moment(now));
}

/** How long a write waits at a time; 0: not at all. */
function waitAt(now: number, changes: Partial<RefusableWrite> = {}): number {
  const refusal = refusals.at(now);
  return refusal === null ? 0 : refusalWaitSeconds(refusal, { ...write, ...changes }, now);
}

describe('Refusals', () => {
  it('let a write wait from the third one within ten minutes on, for longer each time', () => {
    refuse([0, 15_000]);
    expect(waitAt(15_000)).toBe(0);
    refuse([30_000]);
    expect(waitAt(30_000)).toBe(60);
    const waits = [1, 2, 3, 4].map((count) => {
      refuse([30_000 + count]);
      return waitAt(30_000 + count);
    });
    expect(waits).toEqual([120, 240, 300, 300]);
  });

  it('let no write wait that is tried only every ten minutes', () => {
    refuse([0, 10, 20, 30].map((count) => count * minute));
    expect(waitAt(30 * minute)).toBe(0);
  });

  it('let a write that scales up wait for a minute at most', () => {
    refuse([0, 1, 2, 3, 4, 5], { direction: 'Up', wanted: 6 });
    expect(waitAt(5, { direction: 'Up', wanted: 6 })).toBe(60);
  });

  it.each<{ name: string; changes: Partial<RefusableWrite> }>([
    { name: 'in the other direction', changes: { direction: 'Up', wanted: 6 } },
    { name: 'of another target', changes: { targetUid: 'another' } },
    { name: 'of another version of the policy', changes: { version: 'fleet 2 a.yaml' } },
    { name: 'to a count that is nearer to the present one', changes: { wanted: 3 } },
    { name: 'of an HPA', changes: { wanted: 'Delete uid-1' } },
  ])('let no write wait that is $name', ({ changes }) => {
    refuse([0, 1, 2]);
    expect(waitAt(2)).toBe(60);
    expect(waitAt(2, changes)).toBe(0);
  });

  it('let a write to a count wait that is further away', () => {
    refuse([0, 1, 2]);
    expect(waitAt(2, { wanted: 1 })).toBe(60);
  });

  it('let each nearer count be tried once, and go on to count', () => {
    refuse([0, 1, 2]);
    refuse([3], { wanted: 3 });
    expect(waitAt(3, { wanted: 3 })).toBe(120);
    expect(waitAt(3)).toBe(120);
    refuse([4]);
    expect(waitAt(4, { wanted: 3 })).toBe(240);
  });

  it('let writes of an HPA wait that render the same', () => {
    refuse([0, 1, 2], { wanted: 'Update abc' });
    expect(waitAt(2, { wanted: 'Update abc' })).toBe(60);
    expect(waitAt(2, { wanted: 'Update def' })).toBe(0);
  });

  it('begin anew where the reason is another one', () => {
    refuse([0, 1, 2]);
    expect(refusals.note(write, { code: 'Invalid', message: 'it is invalid' }, moment(minute))).toBe(
      'it is invalid',
    );
    expect(waitAt(minute)).toBe(0);
  });

  it('end with a write that is made, and an hour after the last one', () => {
    refuse([0, 1, 2]);
    expect(refusals.at(60 * minute + 1)).not.toBeNull();
    expect(refusals.at(60 * minute + 2)).toBeNull();
    expect(refusals.recorded).toBeNull();
    refuse([0, 1, 2]);
    refusals.clear();
    expect([refusals.at(2), refusals.recorded]).toEqual([null, null]);
  });

  it('say how often, since when, and when it is tried again', () => {
    const said = [0, 15_000, 30_000, 90_000].map((now) => refusals.note(write, forbidden, moment(now)));
    const since = 'since 2026-11-20T12:00:00.000Z';
    expect(said).toEqual([
      forbidden.message,
      `${forbidden.message}; refused 2 times ${since}`,
      `${forbidden.message}; refused 3 times ${since}, next attempt at 2026-11-20T12:01:30.000Z`,
      `${forbidden.message}; refused 4 times ${since}, next attempt at 2026-11-20T12:03:30.000Z`,
    ]);
    const refusal = refusals.at(90_000);
    expect(refusal && describeRefusal(refusal)).toBe(said.at(-1));
  });
});

describe('an error of the API server’s own', () => {
  it('is a refusal once the write is known not to be made', () => {
    for (const now of [0, 1, 2]) {
      refusals.suspect(write, unavailable, moment(now));
      expect(waitAt(now)).toBe(0);
      refusals.confirm();
    }
    expect(waitAt(15_002)).toBe(45);
    expect(refusals.at(2)).toMatchObject({ ...unavailable, wanted: 2 });
  });

  it('is told from a connection that was cut', () => {
    for (const now of [0, 1, 2]) {
      refusals.suspect(write, unavailable, moment(now));
      refusals.suspect(write, { code: 'Timeout', message: 'no answer' }, moment(now));
      refusals.confirm();
    }
    expect(refusals.at(2)).toBeNull();
  });

  it('counts once', () => {
    refusals.suspect(write, unavailable, moment(0));
    for (let count = 0; count < 3; count += 1) refusals.confirm();
    expect(refusals.recorded?.refusedAt).toHaveLength(1);
  });
});

describe('a refusal that is restored', () => {
  function restart(now: number, clock = moment(now).time): Refusals {
    const restored = new Refusals();
    restored.restore(refusals.recorded, { time: clock, monotonicMilliseconds: 0 });
    return restored;
  }

  it('lets the write wait as long as without a restart', () => {
    refuse([0, 1_000, 2_000, 3_000]);
    const { recorded } = refusals;
    refusals = restart(63_000);
    expect(refusals.recorded).toBe(recorded);
    expect(waitAt(0)).toBe(60);
    refuse([60_000]);
    expect(waitAt(60_000)).toBe(240);
  });

  it('counts those before it', () => {
    refuse([0, 1_000]);
    refusals = restart(9 * minute);
    expect(waitAt(0)).toBe(0);
    refuse([0]);
    expect(waitAt(0)).toBe(60);
  });

  it('waits no longer where the clock was set back', () => {
    refuse([0, 1, 2]);
    refusals = restart(0, moment(-600 * minute).time);
    expect(waitAt(0)).toBe(60);
  });
});
