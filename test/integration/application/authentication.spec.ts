import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { RequestGate } from '../../../apps/controller/src/auth/gate/request-gate.ts';
import { type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(60_000);

describe('without a token', () => {
  let application: AnApplication;
  beforeAll(async () => {
    application = await anApplication();
    await application.nest.init();
  });
  afterAll(() => application.close());

  const send = (path: string, method: string, body?: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const outgoing = request(new URL(path, application.url()), { method, headers }, resolve);
      outgoing.on('error', reject);
      outgoing.end(body);
    });

  it.each([
    { name: '__typename', body: '{"query":"{ __typename }"}' },
    { name: 'introspection', body: '{"query":"{ __schema { types { name } } }"}' },
    { name: 'a syntax error', body: '{"query":"{"}' },
    { name: 'a mutation', body: '{"query":"mutation { syncNow(source: \\"policies\\") { __typename } }"}' },
    { name: 'no JSON', body: '{' },
    { name: 'a batch', body: '[{"query":"{ __typename }"}]' },
  ])('GraphQL answers $name with 401', async ({ body }) => {
    expect((await send('/graphql', 'POST', body)).statusCode).toBe(401);
  });

  it.each([
    { path: '/graphql?query={__typename}', method: 'GET' },
    { path: '/nothing/here', method: 'GET' },
    { path: '/graphql/nothing', method: 'POST' },
    { path: '/graphql', method: 'OPTIONS' },
    { path: '/', method: 'DELETE' },
    { path: '/healthz/', method: 'GET' },
    { path: '/webhooks', method: 'POST' },
    { path: '/%zz', method: 'GET' },
  ])('$method $path is answered with 401', async ({ path, method }) => {
    const answer = await send(path, method);
    expect(answer.statusCode).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="plimsoll"');
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  });

  it.each([
    { path: '/%zz', method: 'GET' },
    { path: '/api/v1/me', method: 'GET' },
    { path: '/auth/logout', method: 'POST' },
    { path: '/', method: 'GET' },
  ])('a caller that cannot be established is a failure of ours: $method $path', async ({ path, method }) => {
    const gate = application.nest.get(RequestGate);
    const check = jest.spyOn(gate, 'check').mockRejectedValueOnce(new Error('no secret'));
    const answer = await send(path, method);
    check.mockRestore();
    expect(answer.statusCode).toBe(500);
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  });

  it.each(['/graphql', '/nothing', '/healthz/x'])(
    'an upgrade to WebSocket of %s is answered with 401',
    async (path) => {
      const { hostname, port } = new URL(application.url());
      const socket = connect(Number(port), hostname);
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      );
      const first = await new Promise<string>((resolve) => {
        socket.once('data', (data) => resolve(data.toString('latin1')));
      });
      socket.destroy();
      expect(first).toMatch(/^HTTP\/1\.1 401 /);
    },
  );

  it.each(['/healthz', '/readyz', '/api/v1/openapi.json', '/api/v1/reference'])(
    '%s answers',
    async (path) => {
      expect([200, 503]).toContain((await send(path, 'GET')).statusCode);
    },
  );
});
