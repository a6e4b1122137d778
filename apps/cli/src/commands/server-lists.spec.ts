import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { runCliLines } from '../testing/run-cli.fixture.ts';

jest.setTimeout(60_000);

describe('a list without items', () => {
  let server: Server;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plimsoll-lists-'));
    server = createServer(({ url = '' }, response) => {
      if (url === '/api/v1/policies/shop/none') {
        const problem = { code: 'UnknownPolicy', detail: 'no policy shop/none is or was in force' };
        response.writeHead(404, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
        return;
      }
      const body = url.startsWith('/api/v1/flapping-policies')
        ? { policies: [], isComplete: true }
        : { items: [], next: null };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  const get = async (...operands: readonly string[]) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const environment = { PLIMSOLL_SERVER: url, PLIMSOLL_TOKEN: 'plm_x' };
    const [ended] = await runCliLines(folder, [['get', ...operands]], environment);
    return ended;
  };

  it.each([
    { list: 'policies', says: 'no policies\n' },
    { list: 'holds', says: 'nothing is held\n' },
    { list: 'degraded', says: 'nothing is degraded\n' },
    { list: 'orphaned-hpas', says: 'no orphaned HPAs\n' },
    { list: 'flapping', says: 'no policy flaps\n' },
    { list: 'audit-entries', says: 'no audit entries\n' },
  ])('says so: $list', async ({ list, says }) => {
    expect(await get(list)).toMatchObject({ status: 0, stdout: says, stderr: '' });
  });

  it('of a policy says whether there is one', async () => {
    expect(await get('audit-entries', '--policy', 'shop/checkout')).toMatchObject({
      status: 0,
      stdout: 'no audit entries of shop/checkout\n',
    });
    const unknown = await get('audit-entries', '--policy', 'shop/none');
    expect(unknown).toMatchObject({ status: 1, stdout: '' });
    expect(unknown?.stderr).toContain('UnknownPolicy');
  });

  it('is an empty list for scripts', async () => {
    expect(await get('holds', '-o', 'json')).toMatchObject({ status: 0, stdout: '[]\n' });
  });
});
