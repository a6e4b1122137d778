import { expect, it } from '@jest/globals';
import { FakeClock } from '#reconciliation/testing';
import { DeletionTime } from './deletion-time.ts';

const hour = 3_600_000;

function aTime(databaseIsAheadBy: number | null) {
  const clock = new FakeClock();
  const own = Date.parse(clock.now());
  const databaseTime = databaseIsAheadBy === null ? null : own + databaseIsAheadBy;
  return { clock, own, time: new DeletionTime({ clock, databaseTime: () => Promise.resolve(databaseTime) }) };
}

it.each([
  { ahead: null, by: 0, isRefused: false },
  { ahead: 5 * hour, by: 0, isRefused: false },
  { ahead: -hour, by: -hour, isRefused: false },
  { ahead: -hour - 1, by: -hour - 1, isRefused: true },
])('is the earlier where the database is ahead by $ahead ms, and refused: $isRefused', async (of) => {
  const { time, own } = aTime(of.ahead);
  expect((await time.now()) - own).toBe(of.by);
  const required = time.requireTimeOfDatabase();
  await (of.isRefused
    ? expect(required).rejects.toMatchObject({ code: 'ClockAhead', retryable: true })
    : expect(required).resolves.toBeUndefined());
});

it('doubts a clock that was set forward until it has stayed so for six hours', async () => {
  const { clock, own, time } = aTime(null);
  clock.setBack(-2 * hour);
  expect([time.isDoubted, await time.now()]).toEqual([true, own]);
  clock.advance(6 * hour);
  expect([time.isDoubted, await time.now()]).toEqual([false, own + 8 * hour]);
});
