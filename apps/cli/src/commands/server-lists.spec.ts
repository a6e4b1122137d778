import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { runCliLines } from '../testing/run-cli.fixture.ts';

jest.setTimeout(60_000);

const aDecision = (number: number, time: string) => ({
  ...{ id: `policy:shop/checkout#${number}`, time, policy: { namespace: 'shop', name: 'checkout' } },
  ...{ currentReplicas: number, desiredReplicas: number + 1, action: 'ScaleUp', reason: 'cpu' },
});
const around = {
  before: [aDecision(2, '2026-11-20T12:00:00Z'), aDecision(1, '2026-11-20T11:00:00Z')],
  after: [aDecision(3, '2026-11-20T13:00:00Z'), aDecision(4, '2026-11-20T14:00:00Z')],
  run: { id: 'x', first: '2026-11-20T12:00:15Z', last: '2026-11-20T12:59:45Z', count: 239 },
};

/** A controller that answers so, `null` being 404, and `plimsoll get` of it. */
function getFrom(answerOf: (url: string) => object | null) {
  let server: Server;
  let folder: string;
  const asked: string[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plimsoll-lists-'));
    server = createServer(({ url = '' }, response) => {
      asked.push(url);
      const answer = answerOf(url);
      const type = answer === null ? 'application/problem+json' : 'application/json';
      response.writeHead(answer === null ? 404 : 200, { 'content-type': type });
      response.end(JSON.stringify(answer ?? unknownPolicy));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  return async (...operands: readonly string[]) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const environment = { PLIMSOLL_SERVER: url, PLIMSOLL_TOKEN: 'plm_x' };
    const [ended] = await runCliLines(folder, [['get', ...operands]], environment);
    return { ...ended, asked: asked.splice(0) };
  };
}

const unknownPolicy = { code: 'UnknownPolicy', detail: 'no policy shop/none is or was in force' };

describe('the decisions of a policy', () => {
  const get = getFrom((url) =>
    url.includes('/decisions-around') ? around : { items: around.before, next: null },
  );
  const ofCheckout = ['decisions', '--policy', 'shop/checkout'];
  const time = '2026-11-20T12:30:00Z';

  it('are listed around a time, with what was in force then', async () => {
    const { stdout = '', ...ended } = await get(...ofCheckout, '--around', time, '--limit', '2');
    expect(ended).toMatchObject({
      status: 0,
      stderr: '',
      asked: ['/api/v1/policies/shop/checkout/decisions-around?time=2026-11-20T12%3A30%3A00Z&first=2'],
    });
    const [, ...rows] = stdout.trimEnd().split('\n');
    expect(rows.map((row) => row.replace(/ {2,}/g, ' ').slice(0, 30).trimEnd())).toEqual([
      'after 2026-11-20T14:00:00Z 4 5',
      'after 2026-11-20T13:00:00Z 3 4',
      'in force 2026-11-20T12:00:00Z',
      'before 2026-11-20T11:00:00Z 1',
      'the one in force was repeated',
    ]);
  });

  it('are answered as they are for scripts', async () => {
    const { stdout = '' } = await get(...ofCheckout, '--around', time, '-o', 'json');
    expect(JSON.parse(stdout)).toEqual(around);
  });

  it('are listed without a time, too', async () => {
    expect(await get(...ofCheckout, '--action', 'ScaleUp')).toMatchObject({
      status: 0,
      asked: [
        expect.stringMatching(/^\/api\/v1\/policies\/shop\/checkout\/decisions\?action=ScaleUp&first=\d+$/),
      ],
    });
  });

  it.each([
    { given: ['decisions', '--around', time], says: 'get decisions --policy NAMESPACE/NAME --around TIME' },
    { given: [...ofCheckout, '--around', time, '--action', 'Hold'], says: 'not narrowed by --action' },
    { given: [...ofCheckout, '--around', time, '--limit', '101'], says: 'on each side, 1 to 100' },
    { given: [...ofCheckout, '--namespace', 'shop'], says: 'by --namespace or by --policy, not by both' },
  ])('are not asked for by what does not fit: $says', async ({ given, says }) => {
    const { status, stderr, asked: requests } = await get(...given);
    expect({ status, requests }).toEqual({ status: 2, requests: [] });
    expect(stderr).toContain(says);
  });
});

describe('a list without items', () => {
  const get = getFrom((url) => {
    if (url === '/api/v1/policies/shop/none/blame') return null;
    if (url.startsWith('/api/v1/flapping-policies')) return { policies: [], isComplete: true };
    if (url.includes('/decisions-around')) return { before: [], after: [], run: null };
    return { items: [], next: null };
  });

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

  it.each([
    { list: 'audit-entries', asked: [], words: 'audit entries' },
    { list: 'decisions', asked: ['--around', '1h'], words: 'decisions' },
  ])('of a policy says whether there is one: $list $asked', async ({ list, asked, words }) => {
    expect(await get(list, '--policy', 'shop/checkout', ...asked)).toMatchObject({
      status: 0,
      stdout: `no ${words} of shop/checkout\n`,
    });
    const { status, stdout, stderr } = await get(list, '--policy', 'shop/none', ...asked);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain('UnknownPolicy');
  });

  it('is an empty list for scripts', async () => {
    expect(await get('holds', '-o', 'json')).toMatchObject({ status: 0, stdout: '[]\n' });
  });
});
