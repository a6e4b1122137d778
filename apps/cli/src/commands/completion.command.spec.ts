import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { type CliRun, runCliLines } from '../testing/run-cli.fixture.ts';

jest.setTimeout(60_000);

const aPolicy = (namespace: string, name: string) => ({ namespace, name });

const pages: Readonly<Record<string, object>> = {
  '/api/v1/policies?first=100': {
    items: [aPolicy('shop', 'cart'), aPolicy('shop', 'checkout')],
    next: 'second',
  },
  '/api/v1/policies?first=100&after=second': {
    items: [aPolicy('media', 'transcoder'), aPolicy('media', 'a b'), aPolicy('media', '\u001B[31m')],
    next: null,
  },
  '/long/api/v1/policies?first=100': { items: [aPolicy('shop', 'cart')], next: 'never' },
  '/api/v1/sources?first=100': { items: [{ name: 'policies' }], next: null },
  '/api/v1/interventions?first=100': { items: [{ id: '01981b3c' }], next: null },
};

let folder: string;
let server: Server;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-names-'));
  server = createServer(({ url = '' }, response) => {
    if (url.endsWith('after=never')) return;
    const page = pages[url];
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(page ?? { code: 'NotFound', detail: url }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

async function namesOf(kind: string, path = ''): Promise<CliRun | undefined> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const environment = { PLIMSOLL_SERVER: url, PLIMSOLL_TOKEN: 'plm_x' };
  const [ended] = await runCliLines(folder, [['completion', '--names', kind]], environment);
  return ended;
}

it.each([
  // Each page of them, and nothing that a terminal would not print as it is.
  { kind: 'policies', want: 'shop/cart\nshop/checkout\nmedia/transcoder\n' },
  { kind: 'namespaces', want: 'shop\nmedia\n' },
  { kind: 'sources', want: 'policies\n' },
  { kind: 'interventions', want: '01981b3c\n' },
])('names of $kind are those that the controller lists, each once', async ({ kind, want }) => {
  expect(await namesOf(kind)).toEqual({ status: 0, stdout: want, stderr: '' });
});

it('of a list that takes longer than somebody waits at the prompt, what came is offered', async () => {
  expect(await namesOf('policies', '/long')).toEqual({ status: 0, stdout: 'shop/cart\n', stderr: '' });
});

it('where the controller refuses nothing is offered, and the status says so', async () => {
  const stderr = 'plimsoll: NotFound: /elsewhere/api/v1/policies?first=100\n';
  expect(await namesOf('policies', '/elsewhere')).toEqual({ status: 1, stdout: '', stderr });
});

it('where no controller is known nothing is offered, and the status says so', async () => {
  const environment = { XDG_CONFIG_HOME: folder, HOME: folder };
  const [ended] = await runCliLines(folder, [['completion', '--names', 'policies']], environment);
  expect(ended).toMatchObject({ status: 2, stdout: '' });
  expect(ended?.stderr).toContain('no controller is known');
});
