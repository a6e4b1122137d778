import { describe, expect, it } from '@jest/globals';
import type { EffectivePolicy, FreezeSpec, ScheduleSpec } from '#policy';
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
  new CronWindows().windowsInForce({ schedules, freezes } as unknown as EffectivePolicy, time);

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
});
