import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { configurationSchema } from '#configuration';
import { deliverReport } from './deliver-report.ts';

// Above what a receiver is waited for, which is ten seconds.
jest.setTimeout(60_000);

let folder: string;
const servers: Server[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-delivery-'));
  await writeFile(join(folder, 'secret'), 'a secret\n');
  await writeFile(join(folder, 'report.json'), '{}\n');
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
  await rm(folder, { recursive: true });
});

async function receiver(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/reports`;
}

type Place = { readonly folder: string } | { readonly http: object };
type Report = Parameters<typeof deliverReport>[1];

function deliverTo(place: Place, changes: Partial<Report> = {}, signal?: AbortSignal): Promise<string> {
  const { reports } = configurationSchema.parse({
    cluster: { name: 'test' },
    mode: 'Observe',
    namespaces: ['*'],
    sources: [{ name: 'policies', url: 'https://example.com/policies.git' }],
    reports: { schedules: [{ name: 'weekly', format: 'json', ...place }] },
  });
  return deliverReport(
    reports.schedules[0]!,
    {
      file: join(folder, 'report.json'),
      bytes: 3,
      cluster: 'test',
      period: ['2026-11-16T00:00:00+00:00', '2026-11-23T00:00:00+00:00'],
      id: 'weekly-1',
      now: '2026-11-23T00:00:00Z',
      ...changes,
    },
    signal,
  );
}

function deliver(url: string): Promise<string> {
  return deliverTo({ http: { url, secretFile: join(folder, 'secret') } });
}

describe('in a folder', () => {
  let place: { readonly folder: string };
  beforeEach(() => {
    place = { folder: join(folder, 'reports') };
  });

  it.each<[name: string, changes: Partial<Report>]>([
    ['cluster', { cluster: 'other' }],
    ['length', { period: ['2026-11-16T00:00:00+00:00', '2026-11-17T00:00:00+00:00'] }],
    ['beginning', { period: ['2026-11-17T00:00:00+00:00', '2026-11-23T00:00:00+00:00'] }],
  ])('is put beside a report of another %s', async (_, changes) => {
    await deliverTo(place, changes);
    await writeFile(join(folder, 'report.json'), '{"is":"another"}');
    expect(await readFile(await deliverTo(place), 'utf8')).toBe('{"is":"another"}');
    expect(await readdir(place.folder)).toHaveLength(2);
  });

  it('stays as it was put there first', async () => {
    const first = await deliverTo(place);
    await writeFile(join(folder, 'report.json'), 'made again');
    expect(await deliverTo(place)).toBe(first);
    expect(await readFile(first, 'utf8')).toBe('{}\n');
  });

  it('is there whole by whichever of two processes, and leaves nothing else', async () => {
    const places = await Promise.all([deliverTo(place), deliverTo(place)]);
    expect(new Set(places).size).toBe(1);
    expect(await readdir(place.folder)).toHaveLength(1);
  });

  it('is refused by name where the folder cannot be used', async () => {
    const inFile = { folder: join(folder, 'report.json', 'reports') };
    await expect(deliverTo(inFile)).rejects.toMatchObject({
      code: 'FolderUnusable',
      message: expect.stringContaining(`a report cannot be put into ${inFile.folder}: `),
    });
  });

  it('takes away what a delivery left that was killed, and nothing that is being written or is not ours', async () => {
    await mkdir(place.folder);
    const partOf = (digit: string): string => `.plimsoll-${digit.repeat(8)}-1111-4111-8111-111111111111.part`;
    const [left, fresh, other] = [partOf('1'), partOf('2'), '.theirs.part'];
    for (const name of [left, fresh, other]) await writeFile(join(place.folder, name), 'a ha');
    const longAgo = new Date('2026-11-22T22:00:00Z');
    for (const name of [left, other]) await utimes(join(place.folder, name), longAgo, longAgo);
    await deliverTo(place);
    expect(await readdir(place.folder)).toEqual(expect.not.arrayContaining([left]));
    expect(await readdir(place.folder)).toEqual(expect.arrayContaining([fresh, other]));
  });

  it('is put there also where what was left cannot be taken away', async () => {
    const left = join(place.folder, '.plimsoll-11111111-1111-4111-8111-111111111111.part');
    await mkdir(left, { recursive: true });
    const longAgo = new Date('2026-11-22T22:00:00Z');
    await utimes(left, longAgo, longAgo);
    expect(await readFile(await deliverTo(place), 'utf8')).toBe('{}\n');
  });

  it('leaves nothing where it cannot be put', async () => {
    const taken = 'test_weekly_2026-11-16T000000+0000_2026-11-23T000000+0000.json';
    await mkdir(place.folder);
    await expect(deliverTo(place, { file: join(folder, 'gone.json') })).rejects.toMatchObject({
      code: 'ENOENT',
    });
    expect(await readdir(place.folder)).toEqual([]);
    expect(await deliverTo(place)).toBe(join(place.folder, taken));
  });
});

it('ends with whoever waited for it, where a receiver hangs', async () => {
  const ending = new AbortController();
  let hungUp: Promise<unknown> | undefined;
  const url = await receiver((request) => {
    hungUp = once(request.socket, 'close');
    ending.abort();
  });
  const http = { url, secretFile: join(folder, 'secret') };
  await expect(deliverTo({ http }, {}, ending.signal)).rejects.toMatchObject({ code: 'Ended' });
  await hungUp;
});

it('is sent to no other place that a receiver names', async () => {
  let asked = 0;
  const elsewhere = await receiver((_, response) => {
    asked += 1;
    response.end();
  });
  for (const status of [301, 302, 307, 308]) {
    const url = await receiver((_, response) => response.writeHead(status, { location: elsewhere }).end());
    await expect(deliver(url)).rejects.toMatchObject({
      code: 'Refused',
      message: expect.stringContaining(`answered weekly-1 with status ${status}`),
    });
  }
  expect(asked).toBe(0);
});

it('is given up where a receiver hangs, or does not end its answer', async () => {
  const silent = await receiver(() => undefined);
  const open = await receiver((_, response) => response.writeHead(200).write('and'));
  const endless = await receiver((_, response) => response.writeHead(200).end('and so on '.repeat(10_000)));
  const outcomes = await Promise.allSettled([silent, open, endless].map(deliver));
  expect(outcomes).toMatchObject([
    { status: 'rejected', reason: { code: 'Unreachable' } },
    { status: 'rejected', reason: { code: 'Unreachable' } },
    { status: 'rejected', reason: { code: 'AnswerTooLarge' } },
  ]);
});
