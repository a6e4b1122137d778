import { describe, expect, it, jest } from '@jest/globals';
import { Cron } from 'croner';
import type { EffectivePolicy, FreezeSpec, ScheduleSpec } from '../model/effective-policy.ts';
import { CronWindows } from './cron-windows.ts';

const evening: ScheduleSpec = {
  name: 'evening',
  cron: '0 17 * * 1-5',
  timeZone: 'Europe/Berlin',
  durationSeconds: 5 * 3_600,
  minReplicas: 6,
};
const release: FreezeSpec = {
  name: 'release',
  cron: '0 9 24 12 *',
  timeZone: 'UTC',
  durationSeconds: 72 * 3_600,
  direction: 'Down',
};
const windowsAt = (time: string, schedules: readonly ScheduleSpec[], freezes: readonly FreezeSpec[] = []) =>
  new CronWindows().windowsInForce({ schedules, freezes }, time);

describe('CronWindows', () => {
  it.each([
    { name: 'is closed a millisecond before its start', time: '2026-11-20T15:59:59.999Z', open: false },
    { name: 'is open at its start', time: '2026-11-20T16:00:00.000Z', open: true },
    { name: 'is open a millisecond after its start', time: '2026-11-20T16:00:00.001Z', open: true },
    { name: 'is open a millisecond before its end', time: '2026-11-20T20:59:59.999Z', open: true },
    { name: 'is closed at its end', time: '2026-11-20T21:00:00.000Z', open: false },
    { name: 'is closed at the weekend', time: '2026-11-21T17:00:00.000Z', open: false },
    { name: 'starts an hour earlier by UTC in summer', time: '2026-07-20T15:00:00.000Z', open: true },
  ])('a window $name', ({ time, open }) => {
    expect(windowsAt(time, [evening]).length).toBe(open ? 1 : 0);
  });

  it('says what it replaces, since and until when', () => {
    expect(windowsAt('2026-11-20T18:30:00Z', [evening])).toEqual([
      {
        kind: 'Schedule',
        name: 'evening',
        minReplicas: 6,
        since: '2026-11-20T16:00:00.000Z',
        until: '2026-11-20T21:00:00.000Z',
      },
    ]);
  });

  it('keeps a freeze over several days', () => {
    expect(windowsAt('2026-12-26T08:00:00Z', [], [release])).toEqual([
      {
        kind: 'Freeze',
        name: 'release',
        direction: 'Down',
        since: '2026-12-24T09:00:00.000Z',
        until: '2026-12-27T09:00:00.000Z',
      },
    ]);
  });

  it('never ignores a cron that it cannot read', () => {
    expect(() => windowsAt('2026-12-26T08:00:00Z', [{ ...evening, cron: 'whenever' }])).toThrow();
  });

  it.each([
    { name: 'the start of the next window', time: '2026-11-20T15:59:58.500Z', want: 1_500 },
    { name: 'the end of one that is open', time: '2026-11-20T20:59:59.000Z', want: 1_000 },
    {
      name: 'the start of the next day where one has ended',
      time: '2026-11-19T21:00:00.000Z',
      want: 19 * 3_600_000,
    },
  ])('tells how long it is until $name', ({ time, want }) => {
    const policy = { schedules: [evening], freezes: [release] } as unknown as EffectivePolicy;
    expect(new CronWindows().untilNextChange(policy, time)).toBe(want);
  });

  it('tells of no change where there are no windows', () => {
    const policy = { schedules: [], freezes: [] } as unknown as EffectivePolicy;
    expect(new CronWindows().untilNextChange(policy, '2026-11-20T16:00:00.000Z')).toBeNull();
  });

  it('answers the same whether it remembers the times before or not, forwards and backwards', () => {
    const specs = [evening, { ...evening, name: 'hourly', cron: '20 * * * *', durationSeconds: 1_500 }];
    const remembering = new CronWindows();
    const policy = { schedules: specs, freezes: [release] } as unknown as EffectivePolicy;
    const start = Date.parse('2026-03-28T20:00:00Z');
    const times = Array.from({ length: 400 }, (_, index) => start + ((index * 7_919) % 401) * 600_000);
    for (const time of times.map((each) => new Date(each).toISOString())) {
      const fresh = new CronWindows();
      expect([
        time,
        remembering.windowsInForce(policy, time),
        remembering.untilNextChange(policy, time),
      ]).toEqual([time, fresh.windowsInForce(policy, time), fresh.untilNextChange(policy, time)]);
    }
  });

  it('looks for a start once, until it has passed', () => {
    const searches = jest.spyOn(Cron.prototype, 'nextRun');
    const windows = new CronWindows();
    const policy = {
      schedules: [{ ...evening, cron: '0 0 30 2 *' }],
      freezes: [],
    } as unknown as EffectivePolicy;
    for (let second = 0; second < 60; second += 1) {
      const time = new Date(Date.parse('2026-11-20T00:00:00Z') + second * 1_000).toISOString();
      windows.windowsInForce(policy, time);
      windows.untilNextChange(policy, time);
    }
    // By the zone's time and by local times, for the window that is open and for the next one.
    expect(searches).toHaveBeenCalledTimes(4);
    searches.mockRestore();
  });
});
