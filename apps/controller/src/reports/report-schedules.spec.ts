import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
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

type Press = RunningScheduleOptions['press'];

const hour = 3_600_000;
const year = 365 * 24 * hour;
const begin = Date.parse('2026-11-27T22:30:00Z');

/** Waits until something is so, a few seconds at most. */
async function until(isSo: () => boolean): Promise<void> {
  const end = AbortSignal.timeout(4_000);
  while (!isSo()) {
    end.throwIfAborted();
    await setImmediate();
  }
}

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
  const settled = (count: number): Promise<void> =>
    until(() => recorded.length >= count && clock.pending > 0);
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

it('tells of a place that hangs, delivers once it goes on, and ends while it hangs', async () => {
  const { clock, recorded, options } = world();
  const files: string[] = [];
  const make = ({ file }: { readonly file: string }): Promise<object> => {
    // As a file of a mount that is away, it is there and cannot be read.
    execFileSync('mkfifo', [file]);
    files.push(file);
    return Promise.resolve({ bytes: 8, verification: { status: 'Consistent' } });
  };
  const schedule = {
    ...{ name: 'hourly', cron: '0 * * * *', timeZone: 'UTC', format: 'csv', folder: join(folder, 'out') },
  } as unknown as ReportSchedule;
  const schedules = new ReportSchedules([schedule], { ...options, press: { make } as unknown as Press });
  schedules.start();
  await until(() => files.length === 1 && clock.pending === 1);
  clock.advance(5 * 60_000);
  await until(() => recorded.length === 1);
  expect(recorded[0]?.payload).toMatchObject({
    outcome: 'Refused',
    reason: 'Timeout: the place of the report has not taken it for 300 seconds',
  });
  expect(schedules.failing).toEqual([{ schedule: 'hourly', since: '2026-11-27T22:35:00.000Z' }]);
  await writeFile(files[0] ?? '', 'a report');
  await until(() => recorded.length === 2 && clock.pending === 1);
  expect(recorded[1]?.payload).toMatchObject({ outcome: 'Accepted', reason: null });
  expect(schedules.failing).toEqual([]);
  clock.advance(hour);
  await until(() => files.length === 2 && clock.pending === 1);
  const stopped = schedules.stop();
  clock.advance(5_000);
  await stopped;
  await writeFile(files[1] ?? '', 'a report');
});
