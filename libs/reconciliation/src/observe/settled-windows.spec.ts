import { beforeEach, describe, expect, it } from '@jest/globals';
import { CronWindows, type ScheduleSpec } from '#policy';
import { FakeClock } from '../ports/clock.fake.ts';
import { FakeLog } from '../ports/log.fake.ts';
import { aPolicy } from '../testing/a-policy.ts';
import { SettledWindows } from './settled-windows.ts';

const minute = 60_000;
const hour = 60 * minute;

const spanOf = (from: number) => ({ cron: `0 ${from} * * *`, timeZone: 'UTC', durationSeconds: 3_600 });
const frozen = aPolicy({ freezes: [{ name: 'release', direction: 'Down', ...spanOf(12) }] });

let clock: FakeClock;
let windows: SettledWindows;

/** At 12:30. */
beforeEach(() => {
  clock = new FakeClock('2026-11-20T12:30:00.000Z');
  windows = new SettledWindows({ windows: new CronWindows(), clock, log: new FakeLog() });
});

const namesAt = (time: string): unknown[] => windows.windowsInForce(frozen, time).map(({ name }) => name);

describe('SettledWindows', () => {
  it('looks up times of the past and the future as they are, also while the clock is in doubt', () => {
    clock.setBack(-2 * hour);
    expect(namesAt(clock.now())).toEqual(['release']);
    expect(namesAt('2026-11-20T14:00:00.000Z')).toEqual([]);
    expect(namesAt('2026-11-20T12:10:00.000Z')).toEqual(['release']);
    expect(windows.untilNextChange(frozen, '2026-11-20T10:00:00.000Z')).toBe(2 * hour);
  });

  it('names as the next change that the clock is believed, where no window begins or ends before by either time', () => {
    expect(windows.untilNextChange(frozen, clock.now())).toBe(30 * minute);
    clock.setBack(-2 * hour);
    expect(windows.untilNextChange(frozen, clock.now())).toBe(5 * minute);
    clock.advance(2 * minute);
    expect(windows.untilNextChange(frozen, clock.now())).toBe(3 * minute);
    clock.setBack(2 * hour);
    expect(windows.doubt).toBeNull();
    clock.advance(26 * minute);
    clock.setBack(-2 * hour);
    // 12:58 without the jump: the freeze ends before.
    expect(windows.untilNextChange(frozen, clock.now())).toBe(2 * minute);
  });

  it('holds a window of the time without the jump until it would end, or the clock is believed', () => {
    clock.setBack(-2 * hour);
    const [held] = windows.windowsInForce(frozen, clock.now());
    expect(held).toMatchObject({ since: '2026-11-20T14:00:00.000Z', until: '2026-11-20T14:35:00.000Z' });
    clock.setBack(2 * hour);
    expect(windows.doubt).toBeNull();
    clock.advance(28 * minute);
    clock.setBack(-2 * hour);
    const [ending] = windows.windowsInForce(frozen, clock.now());
    expect(ending).toMatchObject({ since: '2026-11-20T14:00:00.000Z', until: '2026-11-20T15:00:00.000Z' });
  });

  it('compares minima as they act: one that its own maximum crosses gives way to it', () => {
    const schedules: ScheduleSpec[] = [
      { name: 'crossing', minReplicas: 8, maxReplicas: 3, ...spanOf(12) },
      { name: 'sale', minReplicas: 5, ...spanOf(14) },
    ];
    const policy = aPolicy({ schedules });
    clock.setBack(-2 * hour);
    expect(windows.windowsInForce(policy, clock.now())).toMatchObject([{ name: 'sale', minReplicas: 5 }]);
  });
});
