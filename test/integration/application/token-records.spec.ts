import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { LedgerPort } from '#ledger';
import { ledgerToken } from '../../../apps/controller/src/ledger/ledger.module.ts';
import { soon } from '../../e2e/support/soon.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres-proxy.ts';
import { type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(60_000);

describe('a token whose database is cut off before it has taken all of the request', () => {
  let postgres: TestPostgres;
  let proxy: PostgresProxy;
  let application: AnApplication;
  beforeAll(async () => {
    postgres = await startPostgres();
    const url = new URL(await postgres.createDatabase('tokens'));
    proxy = await startPostgresProxy(postgres);
    url.port = `${proxy.port}`;
    application = await anApplication({ configuration: { database: { url: url.href } } });
    await application.nest.init();
  });
  afterAll(async () => {
    await application.close();
    await proxy.stop();
    await postgres.stop();
  });

  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${application.url()}/api/v1/tokens${path}`, {
      method,
      headers: {
        authorization: `Bearer ${application.tokens.admin}`,
        'idempotency-key': `${method}${path}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const asked = async (what: string, again: () => ReturnType<typeof ask>) => {
    proxy.faults.push({ cutBefore: 'INSERT INTO api_token' });
    expect(await again()).toMatchObject({ status: 503, body: { code: 'DatabaseUnavailable' } });
    expect(proxy.faults).toEqual([]);
    return soon(what, async () => {
      const answer = await again();
      return answer.status === 503 ? undefined : answer;
    });
  };
  const recorded = async (): Promise<readonly unknown[]> => {
    const ledger = application.nest.get<LedgerPort>(ledgerToken);
    const { items } = await ledger.entries({ kinds: ['OperatorAction'], order: 'OldestFirst', limit: 100 });
    return items.map(({ entry }) => entry.payload);
  };

  it('is made and revoked once, and recorded once, by requests that are sent again', async () => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const grants = [{ role: 'viewer', namespaces: ['shop'] }];
    const request = { name: 'ci', grants, expires, reason: 'a test' };
    const made = await asked('the token', () => ask('POST', '', request));
    expect(made).toMatchObject({ status: 201, body: { name: 'the-admin/ci' } });
    const created = { action: 'CreateToken', outcome: 'Accepted' };
    expect(await recorded()).toMatchObject([created]);
    const path = `/${String(made.body['id'])}?reason=over`;
    const revoked = await asked('the revocation', () => ask('DELETE', path));
    expect(revoked).toMatchObject({ status: 200, body: { revokedAt: expect.any(String) } });
    expect(await recorded()).toMatchObject([created, { action: 'RevokeToken', outcome: 'Accepted' }]);
  });
});
