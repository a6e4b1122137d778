import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { FakeClock } from '#reconciliation/testing';
import type { ReportSchedule } from './report-schedule.ts';
import { ReportSchedules } from './report-schedules.ts';
import type { RunningScheduleOptions } from './running-schedule.ts';
import { UndeliveredReports } from './undelivered-reports.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-schedules-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const hour = 3_600_000;
const year = 365 * 24 * hour;
const begin = Date.parse('2026-11-27T22:30:00Z');

/** What schedules stand on: a ledger of what they record, and a clock that the test moves. */
function world() {
  const clock = new FakeClock(new Date(begin).toISOString());
  const recorded: { readonly payload: object }[] = [];
  const options = {
    clock,
    cluster: 'test',
    maximumMegabytes: 1,
    undelivered: new UndeliveredReports(folder, 1_000),
    logger: { info: () => undefined, warn: () => undefined },
    ledger: { entries: () => Promise.resolve({ items: recorded.map((entry) => ({ entry })).toReversed() }) },
    writer: {
      append: ({ drafts }: { readonly drafts: readonly { readonly payload: object }[] }) => {
        recorded.push(...drafts);
        return Promise.resolve({ ok: true });
      },
    },
    press: {
      make: ({ file }: { readonly file: string }) => {
        writeFileSync(file, 'a report');
        return Promise.resolve({ bytes: 8, verification: { status: 'Consistent' } });
      },
    },
  } as unknown as RunningScheduleOptions;
  return { clock, recorded, options };
}

it('goes on when a clock that was ahead for a while is right again, over a restart, too', async () => {
  const { clock, recorded, options } = world();
  const schedule = {
    ...{ name: 'hourly', cron: '0 * * * *', timeZone: 'UTC', format: 'csv', folder: join(folder, 'out') },
  } as unknown as ReportSchedule;
  const schedules = new ReportSchedules([schedule], options);
  schedules.start();
  const settled = async (count: number): Promise<void> => {
    while (recorded.length < count || clock.pending === 0)
      await new Promise((resolve) => setImmediate(resolve));
  };
  await settled(1);
  clock.setBack(-year);
  clock.advance(hour / 2);
  await settled(2);
  clock.setBack(year);
  clock.advance(hour);
  await settled(3);
  await schedules.stop();
  clock.advance(hour);
  const restarted = new ReportSchedules([schedule], options);
  restarted.start();
  await settled(4);
  await restarted.stop();
  const ends = recorded.map(({ payload }) => (payload as { arguments: { until: string } }).arguments.until);
  expect(ends).toEqual([
    '2026-11-27T22:00:00.000Z',
    '2027-11-27T23:00:00.000Z',
    '2026-11-28T00:00:00.000Z',
    '2026-11-28T01:00:00.000Z',
  ]);
  expect(readdirSync(join(folder, 'out'))).toHaveLength(4);
});
