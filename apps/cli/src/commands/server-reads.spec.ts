import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { aCommit, aDecision } from '../../../../test/support/ledger-builders.ts';
import { runCliLines } from '../testing/run-cli.fixture.ts';

jest.setTimeout(60_000);

const decision = {
  ...{ ...aDecision(), id: 'policy:shop/checkout#1', commit: aCommit },
  ...{ departures: [], engineVersion: '1.0.0' },
};
const blame = {
  ...{ decision, version: null, change: null, revision: null, sync: null, pullRequest: null, review: null },
  ...{ notVisible: [], intents: [], outcomes: [] },
};

/** Of a time: the decision in force then is not the latest. */
const around = (...before: readonly object[]) => ({ before, after: [] });
const earlier = { ...decision, id: 'policy:shop/checkout#0' };

const change = {
  ...{ time: '2026-11-20T11:00:00Z', from: 40, to: 4, origin: 'Plimsoll', manager: 'plimsoll' },
  reason: 'All metrics below target',
};
const suspension = {
  ...{ kind: 'Suspend', direction: 'Down', actor: 'olga', expires: '2026-11-20T13:00:00Z' },
  ...{ reason: 'incident 7', id: 'one', against: [] },
};

const answers: Readonly<Record<string, readonly [status: number, body: object]>> = {
  '/api/v1/policies/shop/checkout/blame': [200, blame],
  '/api/v1/policies/shop/checkout/decisions-around?time=2026-11-20T12%3A00%3A00Z&first=1': [
    200,
    around(earlier),
  ],
  '/api/v1/decisions/policy%3Ashop%2Fcheckout%230/blame': [200, { ...blame, decision: earlier }],
  '/api/v1/policies/shop/checkout': [
    200,
    { states: ['Suspended'], status: null, interventions: [suspension] },
  ],
  '/api/v1/policies/shop/checkout/scaling-events?first=1': [200, { items: [change], next: null }],
  '/api/v1/policies/shop/checkout/scaling-events?first=1&until=2026-11-20T12%3A00%3A00Z': [
    200,
    { items: [{ ...change, from: 2, to: 40 }], next: null },
  ],
  '/api/v1/policies/shop/new/blame': [404, { code: 'UnknownDecision', detail: 'nothing is decided yet' }],
};

describe.each(['why', 'blame'])('plimsoll %s', (command) => {
  const asked: string[] = [];
  let server: Server;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plimsoll-why-'));
    server = createServer(({ method, url = '' }, response) => {
      asked.push(`${method} ${url}`);
      const [status, body] =
        answers[url] ??
        // Of any other time: nothing was decided then.
        (url.startsWith('/api/v1/policies/shop/checkout/decisions-around?')
          ? [200, around()]
          : [404, { code: 'NotFound', detail: 'there is no such path' }]);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  const run = async (...operands: readonly string[]) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const environment = { PLIMSOLL_SERVER: url, PLIMSOLL_TOKEN: 'plm_x' };
    const [ended] = await runCliLines(folder, [[command, ...operands]], environment);
    // Those that are asked side by side come in any order.
    return { ...ended, asked: asked.splice(0).toSorted() };
  };
  /** What is asked of a policy for a person: beside a decision, what stands now and, of why, when the count changed last. */
  const askedOf = (name: string): readonly string[] => [
    `GET /api/v1/policies/shop/${name}`,
    `GET /api/v1/policies/shop/${name}/blame`,
    ...(command === 'why' ? [`GET /api/v1/policies/shop/${name}/scaling-events?first=1`] : []),
  ];

  it('asks side by side for what it shows', async () => {
    const { stdout = '', ...ended } = await run('shop/checkout');
    expect(ended).toEqual({ status: 0, stderr: '', asked: askedOf('checkout') });
    expect(stdout).toMatch(
      /shop\/checkout[^]*the count is right[^]*commit    a1b2c3d4e5f6 Add checkout policy/,
    );
    expect(/^now .*$/m.exec(stdout)?.[0]).toBe(command === 'why' ? 'now       Suspended' : undefined);
    expect(stdout).toContain('standing  Suspend (down) by olga until 2026-11-20T13:00:00Z: incident 7\n');
    expect(/^changed .*$/m.exec(stdout)?.[0]).toBe(
      command === 'why'
        ? 'changed   40 → 4 at 2026-11-20T11:00:00Z by Plimsoll: All metrics below target'
        : undefined,
    );
  });

  it('asks once for scripts', async () => {
    const { stdout = '', ...ended } = await run('shop/checkout', '-o', 'json');
    expect(ended).toEqual({ status: 0, stderr: '', asked: ['GET /api/v1/policies/shop/checkout/blame'] });
    expect(JSON.parse(stdout)).toEqual(command === 'why' ? decision : blame);
  });

  it('asks for the decision in force at a time', async () => {
    const { stdout = '', ...ended } = await run(
      'shop/checkout',
      '--at',
      '2026-11-20T12:00:00Z',
      '-o',
      'json',
    );
    expect(ended).toEqual({
      status: 0,
      stderr: '',
      asked: [
        'GET /api/v1/decisions/policy%3Ashop%2Fcheckout%230/blame',
        expect.stringContaining('decisions-around'),
      ],
    });
    expect(JSON.parse(stdout)).toEqual(command === 'why' ? earlier : { ...blame, decision: earlier });
  });

  it('says of a time which change of the count came before it', async () => {
    const { stdout = '' } = await run('shop/checkout', '--at', '2026-11-20T12:00:00Z');
    expect(/^changed .*at/m.exec(stdout)?.[0]).toBe(command === 'why' ? 'changed   2 → 40 at' : undefined);
  });

  it('says that nothing was decided then', async () => {
    expect(await run('shop/checkout', '--at', '2026-11-20T00:00:00Z')).toMatchObject({
      status: 0,
      stdout: 'nothing was decided yet for shop/checkout at 2026-11-20T00:00:00Z\n',
    });
  });

  it('says of which time nothing was decided where it is told by how long ago', async () => {
    const { stdout } = await run('shop/checkout', '--at', '90d');
    expect(stdout).toMatch(/^nothing was decided yet for shop\/checkout at \d{4}-\d\d-\d\dT[\d:.]+Z\n$/);
  });

  it('says that nothing is decided yet', async () => {
    expect(await run('shop/new')).toMatchObject({
      status: 0,
      stdout: 'nothing is decided yet for shop/new\n',
      asked: askedOf('new'),
    });
  });
});
