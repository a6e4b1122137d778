import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import type { LedgerPort } from '#ledger';
import type { ClockPort } from '#reconciliation';
import { publicRoutes } from '../../../apps/controller/src/auth/callers/public-routes.ts';
import { FailureRecorder } from '../../../apps/controller/src/auth/limits/failure-recorder.ts';
import { clockToken } from '../../../apps/controller/src/configuration/configuration.module.ts';
import { ledgerToken } from '../../../apps/controller/src/ledger/ledger.module.ts';
import { type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(120_000);

let application: AnApplication;
const routes = new Set<string>();
let server: FastifyInstance;
beforeAll(async () => {
  application = await anApplication();
  server = application.nest.getHttpAdapter().getInstance();
  server.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) routes.add(`${each} ${url}`);
  });
  await application.nest.init();
});
afterAll(() => application.close());

const ask = (route: string) => {
  const [method = '', path = ''] = route.split(' ');
  // Each from an address of its own, so that none of the refusals waits.
  const remoteAddress = `10.0.0.${[...routes].indexOf(route) % 250}`;
  const url = path.replaceAll(/:\w+/g, 'x').replaceAll('*', 'x');
  const headers = { host: 'localhost' };
  return server.inject({ method: method, url, headers, remoteAddress });
};

it('of all routes there are, only those of the list answer without authentication', async () => {
  expect(routes.size).toBeGreaterThan(20);
  const answered: string[] = [];
  for (const route of routes) {
    const { statusCode, body } = await ask(route);
    // An answer to HEAD has no body.
    const isRefused = statusCode === 401 && (body === '' || body.includes('"code":"Unauthenticated"'));
    if (!isRefused) answered.push(route);
  }
  const withHead = publicRoutes.flatMap((route) =>
    route.startsWith('GET ') ? [route, route.replace('GET', 'HEAD')] : [route],
  );
  // A webhook of a source that has none is refused as its own sender, in its own words; signing in without a valid token
  // is refused as any request without one.
  const refusedOtherwise = new Set(['POST /webhooks/:source', 'POST /auth/session']);
  expect(
    [...answered, ...refusedOtherwise].toSorted().filter((route, index, all) => all[index - 1] !== route),
  ).toEqual(withHead.filter((route) => routes.has(route)).toSorted());
  expect(publicRoutes.filter((route) => !routes.has(route))).toEqual([]);
});

it('a browser learns without authentication that there is no such page, and nothing of the API', async () => {
  const statuses = async (accept: string) => {
    const paths = [
      '/polices',
      '/%zz',
      '/api/v1/nothing',
      '/api/v1/policies',
      '/graphql/nothing',
      '/auth/nothing',
    ];
    const answers = paths.map(async (url, index) => {
      const remoteAddress = `10.0.1.${index}`;
      const { statusCode } = await server.inject({
        url,
        headers: { host: 'localhost', accept },
        remoteAddress,
      });
      return statusCode;
    });
    return Promise.all(answers);
  };
  expect(await statuses('text/html,*/*;q=0.8')).toEqual([404, 400, 401, 401, 401, 401]);
  expect(await statuses('*/*')).toEqual([401, 401, 401, 401, 401, 401]);
});

it('answers carry what a browser must not do with them', async () => {
  for (const path of ['/healthz', '/graphql', '/nothing']) {
    const { headers } = await server.inject({ url: path, headers: { host: 'localhost' } });
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cache-control': 'private, no-cache',
    });
    expect(headers['strict-transport-security']).toBeUndefined();
  }
});

it('failures are one entry for all, without an address of its own for each', async () => {
  // The process before may have recorded until this one came to lead.
  const clock = application.nest.get<ClockPort>(clockToken);
  jest.spyOn(clock, 'monotonicMilliseconds').mockReturnValue(Number.MAX_SAFE_INTEGER);
  await application.nest.get(FailureRecorder).flush();
  const ledger = application.nest.get<LedgerPort>(ledgerToken);
  const { items } = await ledger.entries({ kinds: ['OperatorAction'], order: 'OldestFirst', limit: 100 });
  expect(items.map(({ entry }) => entry.payload)).toMatchObject([
    { actor: 'nobody', action: 'Authenticate', outcome: 'Refused', arguments: { count: expect.any(Number) } },
  ]);
});
