import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { openLedgerDatabase } from '#adapter-sql';
import { makeReport } from './report-thread.ts';

jest.setTimeout(60_000);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-report-'));
  await (await openLedgerDatabase({ url: `sqlite:${join(folder, 'ledger.db')}` })).close();
});
afterAll(() => rm(folder, { recursive: true }));

const filter = { namespaces: null, policies: null, teams: null, teamLabel: 'team', visibleNamespaces: null };
const make = (name: string, maximumBytes: number) =>
  makeReport(
    {
      url: `sqlite:${join(folder, 'ledger.db')}`,
      request: { period: { from: 0, until: 1, timeZone: 'UTC' }, filter, price: null },
      format: 'json',
      file: join(folder, name),
      maximumBytes,
    },
    new AbortController().signal,
  );

it('a report of just its bound is made, and one that would be a byte larger is not', async () => {
  const { bytes } = await make('first', 1024 ** 2);
  expect(await make('second', bytes)).toMatchObject({ bytes });
  await expect(make('third', bytes - 1)).rejects.toMatchObject({
    code: 'ReportTooLarge',
    message: expect.stringMatching(
      /^the report is larger than \S+ MiB: ask for a shorter period, or for fewer namespaces$/,
    ),
  });
});

it('a report whose file cannot be written says which', async () => {
  await expect(make('first/there', 1024 ** 2)).rejects.toMatchObject({
    code: 'FolderUnusable',
    message: `the report's file ${join(folder, 'first/there')} cannot be used: no folder is there, but a file or a link that leads nowhere: ${join(folder, 'first')}`,
  });
});

it('a report is made where its folder is gone', async () => {
  await expect(make('gone/there', 1024 ** 2)).resolves.toMatchObject({ kind: 'Made' });
});
