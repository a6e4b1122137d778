import { mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ok } from '#kernel';
import type { EntryDraft } from '#ledger';
import { soon } from '../../../../test/e2e/support/soon.ts';
import { grantEverywhere, type Principal } from '../auth/callers/principal.ts';
import { ReportFolder } from './report-folder.ts';
import { ReportPress } from './report-press.ts';
import { Reports } from './reports.ts';

const ann: Principal = { name: 'ann', grants: grantEverywhere('viewer') };
const megabyte = 1024 ** 2;

describe('reports that are kept', () => {
  let folder: string;
  let now: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-reports-'));
    now = '2027-03-01T00:00:00.000Z';
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const someReports = async (
    make: (file: string) => Promise<number>,
    recorded: EntryDraft[] = [],
  ): Promise<Reports> => {
    const reports = new Reports({
      folder: new ReportFolder(folder),
      press: {
        make: async ({ file }, { begin }) => {
          await begin();
          const bytes = await make(file);
          return {
            madeAt: now,
            bytes,
            verification: { status: 'Consistent', fault: null },
            nothingMatches: null,
          };
        },
      },
      limits: { keepDays: 2, maximumMegabytes: 1, folderMegabytes: 3 },
      writer: {
        append: ({ drafts }) => {
          recorded.push(...drafts);
          return Promise.resolve(ok([]));
        },
      },
      clock: { now: () => now },
      logger: { info: () => undefined, warn: () => undefined },
    });
    await reports.start();
    return reports;
  };
  const made = async (reports: Reports): Promise<string> => {
    const { id } = await reports.request(ann, { from: '2027-01-01' });
    await soon('the report', () => (reports.find(ann, id)?.finishedAt === null ? undefined : true));
    now = new Date(Date.parse(now) + 1_000).toISOString();
    return id;
  };
  const ofOneMegabyte = async (file: string): Promise<number> => {
    await writeFile(file, '');
    return megabyte;
  };

  it('give way, the oldest first, where the folder would have no room for another', async () => {
    const reports = await someReports(ofOneMegabyte);
    const ids = [await made(reports), await made(reports), await made(reports)];
    await soon('room', () => (reports.list(ann).length === 2 ? true : undefined));
    expect(reports.list(ann).map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    await soon('their files', async () => ((await readdir(folder)).length === 4 ? true : undefined));
  });

  it('are gone after their days', async () => {
    const reports = await someReports(ofOneMegabyte);
    const id = await made(reports);
    expect(reports.find(ann, id)?.expiresAt).toBe('2027-03-03T00:00:00.000Z');
    now = '2027-03-03T00:00:00.000Z';
    expect(reports.find(ann, id)).toBeNull();
    await reports.start();
    expect(await readdir(folder)).toEqual([]);
  });

  it('stay where they cannot be read for now, and are listed again when they can', async () => {
    const id = await made(await someReports(ofOneMegabyte));
    const [file, aside] = [join(folder, `${id}.json`), join(folder, 'aside')];
    await rename(file, aside);
    // Whoever reads it follows it for ever.
    await symlink(file, file);
    const without = await someReports(ofOneMegabyte);
    expect(without.list(ann)).toEqual([]);
    await rename(aside, file);
    const again = await someReports(ofOneMegabyte);
    expect(again.list(ann)).toMatchObject([{ id, state: 'Ready' }]);
    expect((await readdir(folder)).toSorted()).toEqual([`${id}.json`, `${id}.text`]);
  });

  it('are gone where their record is none, or their text', async () => {
    const reports = await someReports(ofOneMegabyte);
    const [torn, textless] = [await made(reports), await made(reports)];
    await writeFile(join(folder, `${torn}.json`), '{');
    await rm(join(folder, `${textless}.text`));
    await reports.start();
    expect(await readdir(folder)).toEqual([]);
  });

  it('say why they failed, and leave no text', async () => {
    const reports = await someReports(async (file) => {
      await writeFile(file, 'half');
      throw new Error('the report is larger than 1 MiB');
    });
    const id = await made(reports);
    expect(reports.find(ann, id)).toMatchObject({
      state: 'Failed',
      problem: 'the report is larger than 1 MiB',
    });
    await soon('the text to go', async () =>
      (await readdir(folder)).join() === `${id}.json` ? true : undefined,
    );
  });

  it('records long lists of names by the first of them, so that no viewer fills the ledger', async () => {
    const drafts: EntryDraft[] = [];
    const reports = await someReports(ofOneMegabyte, drafts);
    const teams = Array.from({ length: 1_000 }, (_, index) => `${'t'.repeat(300)}-${index}`);
    const { id } = await reports.request(ann, { from: '2027-01-01', teams });
    await soon('the report', () => (reports.find(ann, id)?.finishedAt === null ? undefined : true));
    expect(drafts).toHaveLength(1);
    expect(JSON.stringify(drafts).length).toBeLessThan(20_000);
    expect(drafts[0]?.payload).toMatchObject({ arguments: { filter: { teams: { count: 1_000 } } } });
    expect(reports.find(ann, id)?.filter.teams).toEqual(teams);
  });

  it('are neither begun nor recorded, and are no bug, where the folder cannot be used', async () => {
    const drafts: EntryDraft[] = [];
    const reports = await someReports(ofOneMegabyte, drafts);
    const id = await made(reports);
    await rm(folder, { recursive: true });
    await writeFile(folder, 'no folder');
    const refused = { code: 'FolderUnusable', retryable: true };
    await expect(reports.request(ann, { from: '2027-01-01' })).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining(': no folder is there, but a file'),
    });
    await expect(reports.openText(ann, id)).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(/a part of the path is no folder$/),
    });
    expect({ recorded: drafts.length, kept: reports.list(ann).length }).toEqual({ recorded: 1, kept: 1 });
  });

  it('are made where the folder is gone, and what was in it is told as unknown', async () => {
    const reports = await someReports(ofOneMegabyte);
    const lost = await made(reports);
    await rm(folder, { recursive: true });
    const id = await made(reports);
    expect(reports.find(ann, id)).toMatchObject({ state: 'Ready' });
    await expect(reports.openText(ann, lost)).rejects.toMatchObject({ code: 'UnknownReport' });
  });

  it('are made for one person a hundred times within an hour, and then again', async () => {
    const reports = await someReports(ofOneMegabyte);
    const order = { from: '2027-01-01' };
    for (let count = 0; count < 100; count += 1) {
      const { id } = await reports.request(ann, order);
      while (reports.find(ann, id)?.finishedAt === null) await setImmediate();
    }
    await expect(reports.request(ann, order)).rejects.toMatchObject({ code: 'TooManyReports' });
    now = new Date(Date.parse(now) + 3_600_000).toISOString();
    await expect(reports.request(ann, order)).resolves.toMatchObject({ owner: 'ann' });
    await reports.stop();
  });
});

describe('a report that takes too long', () => {
  it('is ended, and says after how long', async () => {
    const press = new ReportPress({
      databaseUrl: () => Promise.resolve('sqlite:/nowhere/ledger.db'),
      maximumMinutes: 5,
      clock: {
        schedule: (milliseconds, callback) => {
          expect(milliseconds).toBe(300_000);
          callback();
          return () => undefined;
        },
      },
    });
    const period = { from: 0, until: 1, timeZone: 'UTC' };
    const filter = {
      namespaces: null,
      policies: null,
      teams: null,
      teamLabel: 'team',
      visibleNamespaces: null,
    };
    const task = {
      request: { period, filter, price: null },
      format: 'json',
      file: '/nowhere/x',
      maximumBytes: 1,
    } as const;
    const given = { signal: new AbortController().signal, begin: () => Promise.resolve() };
    await expect(press.make(task, given)).rejects.toThrow('it was not made within 5 minutes');
  });
});
