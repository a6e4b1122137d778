import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Leadership } from '../coordination/shards/leadership.ts';
import { RequestForwarding, type RequestForwardingOptions } from './request-forwarding.ts';

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A leader that answers as it is told, and keeps what it was sent; it is asked for its health beside that. */
async function aLeader(
  answer: http.RequestListener,
  health: http.RequestListener = (_request, reply) => reply.end('{}'),
) {
  const received: Received[] = [];
  const server = http.createServer((request, reply) => {
    if (request.url?.endsWith('/healthz') === true) {
      health(request, reply);
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      answer(request, reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function aReplica(
  leadership: Partial<Leadership>,
  options: Partial<RequestForwardingOptions> = {},
): Promise<FastifyInstance> {
  const server = Fastify();
  closers.push(() => server.close());
  server.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  new RequestForwarding({
    leadership: {
      mode: 'Replicas',
      reason: null,
      isLeader: () => false,
      leaderUrl: () => Promise.resolve(null),
      replicas: () => [],
      takesShards: () => true,
      leaseHolders: () => null,
      modeOfHolder: () => null,
      carriedOutMilliseconds: () => null,
      ...leadership,
    },
    knownTexts: [],
    log: () => undefined,
    ...options,
  }).install(server);
  const here = () => Promise.resolve({ by: 'replica' });
  server.all('/graphql', here);
  server.all('/api/v1/suspensions', here);
  server.all('/api/v1/suspensions/:id', here);
  server.all('/api/v1/reports/:id', here);
  server.post('/webhooks/:source', here);
  server.post('/auth/session', here);
  await server.ready();
  return server;
}

const mutation = { query: 'mutation { syncNow(source: "a") { __typename } }' };

describe('a request at a replica that is not the leader', () => {
  it('is answered 503 where the database does not say which one is', async () => {
    const replica = await aReplica({ leaderUrl: () => Promise.reject(new Error('the database is away')) });
    const answer = await replica.inject({ method: 'POST', url: '/api/v1/suspensions', payload: {} });
    expect([answer.statusCode, answer.json()]).toMatchObject([503, { code: 'NoLeader' }]);
  });

  it('goes to the leader as it came, and its answer comes back unchanged', async () => {
    const leader = await aLeader((_request, reply) => {
      reply.writeHead(201, {
        'content-type': 'application/json',
        'set-cookie': ['a=1', 'b=2'],
        'x-more': 'yes',
      });
      reply.end('{"by":"leader"}');
    });
    const replica = await aReplica({ leaderUrl: () => Promise.resolve(leader.url) });
    const answer = await replica.inject({
      method: 'POST',
      url: '/api/v1/suspensions?dryRun=true',
      headers: {
        authorization: 'Bearer secret',
        'idempotency-key': 'k',
        host: 'plimsoll.example',
        connection: 'x-hop',
        'x-hop': 'for this connection',
        'x-forwarded-for': '203.0.113.7',
      },
      payload: { reason: 'a test' },
    });
    expect(answer.statusCode).toBe(201);
    expect(answer.headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'], 'x-more': 'yes' });
    expect(answer.json()).toEqual({ by: 'leader' });
    const [{ headers, ...received } = { headers: {} }] = leader.received;
    expect(received).toEqual({
      method: 'POST',
      url: '/api/v1/suspensions?dryRun=true',
      body: '{"reason":"a test"}',
    });
    expect(headers).toMatchObject({
      authorization: 'Bearer secret',
      'idempotency-key': 'k',
      host: 'plimsoll.example',
      'content-type': 'application/json',
      'x-forwarded-for': '127.0.0.1',
      'x-plimsoll-forwarded': '1',
    });
    expect(headers).not.toHaveProperty('x-hop');
  });

  it.each([
    { name: 'as clients of a proxy send it', path: 'http://a.example/api/v1/suspensions?all=true' },
    { name: 'with dots in it', path: '/api/v1/suspensions/%2e%2e' },
  ])('goes to the path that was asked for, $name', async ({ path }) => {
    const leader = await aLeader((_request, reply) => reply.end('{}'));
    const replica = await aReplica({ leaderUrl: () => Promise.resolve(`${leader.url}/base/`) });
    const { port } = new URL(await replica.listen({ port: 0, host: '127.0.0.1' }));
    const status = await new Promise((resolve, reject) => {
      const sent = http.request({ port, host: '127.0.0.1', method: 'POST', path, agent: false });
      sent.once('response', (answer) => resolve(answer.resume().statusCode)).once('error', reject);
      sent.end();
    });
    const asked = leader.received.map(({ url }) => url);
    expect([status, asked]).toEqual([200, [`/base${path.replace('http://a.example', '')}`]]);
  });

  it('keeps the bytes of a delivery', async () => {
    const leader = await aLeader((_request, reply) => reply.writeHead(202).end());
    const replica = await aReplica({ leaderUrl: () => Promise.resolve(leader.url) });
    const payload = Buffer.from('{ "ref":  "refs/heads/main" }');
    const headers = { 'content-type': 'application/octet-stream' };
    await replica.inject({ method: 'POST', url: '/webhooks/a', headers, payload });
    expect(leader.received).toMatchObject([{ url: '/webhooks/a', body: payload.toString() }]);
  });

  it.each([
    { name: 'a mutation', url: '/graphql', payload: mutation, want: 'leader' },
    {
      name: 'the mutation of two operations that is named',
      url: '/graphql',
      payload: { query: `query a { b } mutation c { d }`, operationName: 'c' },
      want: 'leader',
    },
    {
      name: 'the query of two operations that is named',
      url: '/graphql',
      payload: { query: `query a { b } mutation c { d }`, operationName: 'a' },
      want: 'replica',
    },
    {
      name: 'a query',
      url: '/graphql',
      payload: { query: '{ policies { edges { cursor } } }' },
      want: 'replica',
    },
    { name: 'reports', url: '/graphql', payload: { query: '{ reports { id } }' }, want: 'leader' },
    {
      name: 'reports in a fragment',
      url: '/graphql',
      payload: {
        query:
          'query { ...a } fragment a on Query { ... on Query { reports { id } } ...b } fragment b on Query { ...a }',
      },
      want: 'leader',
    },
    { name: 'a text that is no query', url: '/graphql', payload: { query: 'mutation {' }, want: 'replica' },
    {
      name: 'a hash that is not known',
      url: '/graphql',
      payload: {
        extensions: {
          persistedQuery: {
            version: 1,
            sha256Hash: '2b2a3c1a0f5b1d6a4d0c3c0a4cf9f2f3b0e7b6a5c4d3e2f1a0b9c8d7e6f5a4b3',
          },
        },
      },
      want: 'replica',
    },
    { name: 'signing in', url: '/auth/session', payload: {}, want: 'replica' },
  ])('$name is answered by the $want', async ({ url, payload, want }) => {
    const leader = await aLeader((_request, reply) => reply.end('{"by":"leader"}'));
    const replica = await aReplica({ leaderUrl: () => Promise.resolve(leader.url) });
    const answer = await replica.inject({ method: 'POST', url, payload });
    expect(JSON.parse(answer.body)).toEqual({ by: want });
  });

  it('is known by its hash where the controller knows the text', async () => {
    const leader = await aLeader((_request, reply) => reply.end('{"by":"leader"}'));
    const replica = await aReplica(
      { leaderUrl: () => Promise.resolve(leader.url) },
      { knownTexts: ['mutation { a }'] },
    );
    const sha256Hash = createHash('sha256').update('mutation { a }').digest('hex');
    const payload = { extensions: { persistedQuery: { version: 1, sha256Hash } } };
    const answer = await replica.inject({ method: 'POST', url: '/graphql', payload });
    expect(JSON.parse(answer.body)).toEqual({ by: 'leader' });
  });

  it('of a report is answered by the leader, who has it', async () => {
    const leader = await aLeader((_request, reply) => reply.end('{"by":"leader"}'));
    const replica = await aReplica({ leaderUrl: () => Promise.resolve(leader.url) });
    expect(JSON.parse((await replica.inject('/api/v1/reports/1')).body)).toEqual({ by: 'leader' });
    expect(JSON.parse((await replica.inject('/api/v1/suspensions')).body)).toEqual({ by: 'replica' });
  });

  it.each([
    { name: 'where no leader is known', url: null, headers: {} },
    { name: 'where nothing listens', url: 'http://127.0.0.1:1', headers: {} },
    {
      name: 'that another replica has sent on',
      url: 'http://127.0.0.1:1',
      headers: { 'x-plimsoll-forwarded': '1' },
    },
  ])('$name is answered with NoLeader', async ({ url, headers }) => {
    const replica = await aReplica({ leaderUrl: () => Promise.resolve(url) });
    const rest = await replica.inject({ method: 'POST', url: '/api/v1/suspensions', headers, payload: {} });
    expect(rest).toMatchObject({ statusCode: 503, headers: { 'retry-after': '2' } });
    expect(rest.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(rest.json()).toMatchObject({ code: 'NoLeader', status: 503 });
    const graphql = await replica.inject({ method: 'POST', url: '/graphql', headers, payload: mutation });
    expect(graphql).toMatchObject({ statusCode: 503, headers: { 'retry-after': '2' } });
    expect(graphql.json()).toMatchObject({ errors: [{ extensions: { code: 'NoLeader' } }] });
  });

  it.each([
    {
      name: 'hangs up',
      answer: (request: http.IncomingMessage) => request.socket.destroy(),
      options: {},
    },
    {
      name: 'goes on with another protocol',
      answer: (_request: http.IncomingMessage, reply: http.ServerResponse) =>
        reply.writeHead(101, { connection: 'upgrade', upgrade: 'other' }).end(),
      options: {},
    },
    {
      name: 'answers its health alone for too long',
      answer: () => undefined,
      options: { answerMilliseconds: 50 },
    },
  ])('has an unknown outcome where the leader $name', async ({ answer, options }) => {
    const leader = await aLeader((request, reply) => void answer(request, reply));
    const replica = await aReplica({ leaderUrl: () => Promise.resolve(leader.url) }, options);
    const sent = await replica.inject({ method: 'POST', url: '/api/v1/suspensions', payload: {} });
    expect(sent).toMatchObject({ statusCode: 503 });
    expect(sent.json()).toMatchObject({ code: 'OutcomeUnknown' });
    // It would be carried out once more, where no key says that it is the same.
    expect(sent.headers['retry-after']).toBeUndefined();
    const headers = { 'idempotency-key': 'k-1' };
    const keyed = await replica.inject({ method: 'POST', url: '/api/v1/suspensions', payload: {}, headers });
    expect(keyed.headers['retry-after']).toBe('2');
  });

  it('is sent nowhere while the leader hangs, so that nothing is carried out when it wakes', async () => {
    const hung = () => undefined;
    const leader = await aLeader(hung, hung);
    const replica = await aReplica(
      { leaderUrl: () => Promise.resolve(leader.url) },
      { signMilliseconds: 50 },
    );
    const sent = await replica.inject({ method: 'POST', url: '/api/v1/suspensions', payload: {} });
    expect([sent.statusCode, sent.json()]).toMatchObject([503, { code: 'NoLeader' }]);
    expect(leader.received).toEqual([]);
  });

  it('has an unknown outcome where the leader comes to hang while it carries it out', async () => {
    const hung = () => undefined;
    const health = [(_request: unknown, reply: http.ServerResponse) => reply.end('{}')];
    const leader = await aLeader(hung, (request, reply) => health.shift()?.(request, reply));
    const replica = await aReplica(
      { leaderUrl: () => Promise.resolve(leader.url) },
      { signMilliseconds: 50 },
    );
    const sent = await replica.inject({ method: 'POST', url: '/api/v1/suspensions', payload: {} });
    expect([sent.statusCode, sent.json()]).toMatchObject([503, { code: 'OutcomeUnknown' }]);
    expect(leader.received).toHaveLength(1);
  });

  it('is waited for as long as the leader answers anything', async () => {
    const leader = await aLeader((_request, reply) => setTimeout(() => reply.end('{"by":"leader"}'), 1_500));
    const replica = await aReplica({ leaderUrl: () => Promise.resolve(leader.url) });
    const sent = await replica.inject({ method: 'POST', url: '/api/v1/suspensions', payload: {} });
    expect(sent.json()).toEqual({ by: 'leader' });
  });

  it.each([
    { name: 'the leader', leadership: { isLeader: () => true } },
    { name: 'one process', leadership: { mode: 'OneProcess' as const } },
  ])('stays where it is at $name', async ({ leadership }) => {
    const replica = await aReplica(leadership);
    const answer = await replica.inject({ method: 'POST', url: '/api/v1/suspensions', payload: {} });
    expect(answer.json()).toEqual({ by: 'replica' });
  });
});
