import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { configurationSchema } from '#configuration';
import { type UndeliveredReport, UndeliveredReports } from './undelivered-reports.ts';

const { schedules } = configurationSchema.parse({
  cluster: { name: 'test' },
  mode: 'Act',
  namespaces: ['*'],
  sources: [{ name: 'a', url: 'https://example.com/a.git' }],
  reports: { schedules: ['weekly', 'daily'].map((name) => ({ name, folder: '/reports' })) },
}).reports;
const [weekly, daily] = schedules as [(typeof schedules)[number], (typeof schedules)[number]];

describe('reports that are not delivered yet', () => {
  let folder: string;
  let reports: UndeliveredReports;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-undelivered-'));
    reports = new UndeliveredReports(folder, 1_000);
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function made(until: number, bytes: number): Promise<UndeliveredReport> {
    const file = reports.nextFile();
    await writeFile(file, 'a report');
    return {
      file,
      bytes,
      until,
      verification: { status: 'Consistent' } as UndeliveredReport['verification'],
    };
  }

  it('are kept until they are removed, with their files', async () => {
    const report = await made(1, 600);
    await reports.keep(weekly, report);
    expect(await reports.find(weekly, 1)).toBe(report);
    expect(await reports.find(daily, 1)).toBeNull();
    await reports.remove(weekly);
    expect([await reports.find(weekly, 1), existsSync(report.file)]).toEqual([null, false]);
  });

  it('end nothing where their files cannot be removed', async () => {
    const report = { ...(await made(1, 600)), file: folder };
    await reports.keep(weekly, report);
    await reports.remove(weekly);
    await reports.keep(weekly, { ...report, bytes: 2_000 });
    expect([await reports.find(weekly, 1), existsSync(folder)]).toEqual([null, true]);
  });

  it('go where the next period has ended', async () => {
    const report = await made(1, 600);
    await reports.keep(weekly, report);
    expect([await reports.find(weekly, 2), existsSync(report.file)]).toEqual([null, false]);
    expect(await reports.find(weekly, 1)).toBeNull();
  });

  it('are made anew where their file has gone', async () => {
    const report = await made(1, 600);
    await reports.keep(weekly, report);
    await rm(report.file);
    expect(await reports.find(weekly, 1)).toBeNull();
  });

  it('are not kept where they are too large together', async () => {
    await reports.keep(weekly, await made(1, 600));
    const other = await made(1, 401);
    await reports.keep(daily, other);
    expect([await reports.find(daily, 1), existsSync(other.file)]).toEqual([null, false]);
    // One that is kept again counts once.
    const kept = await reports.find(weekly, 1);
    await reports.keep(weekly, kept ?? other);
    expect(await reports.find(weekly, 1)).toBe(kept);
  });
});
