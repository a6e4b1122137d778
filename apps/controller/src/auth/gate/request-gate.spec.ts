import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { AdapterError } from '#kernel';
import { beginDeadline, boundQueries } from '../../admin-graphql/limits/query-deadline.ts';
import { grantEverywhere, nobody } from '../callers/principal.ts';
import { KubernetesAuthenticator } from '../identities/kubernetes-authenticator.ts';
import { createToken, TokenAuthenticator } from '../identities/token-authenticator.ts';
import { keepPlaceDuring } from '../limits/held-places.ts';
import { type FailureTreatment, RequestLimits } from '../limits/request-limits.ts';
import { RequestRates } from '../limits/request-rates.ts';
import { callerAgain } from './caller-again.ts';
import { CallerAuthenticator } from './caller-authenticator.ts';
import { RequestGate } from './request-gate.ts';

const { token, record } = createToken({ name: 'console', grants: grantEverywhere('viewer') });
const made = createToken({
  name: 'console/ci',
  owner: 'console',
  grants: grantEverywhere('viewer'),
});
const other = createToken({ name: 'script', grants: grantEverywhere('viewer') });

describe('the gate', () => {
  let server: FastifyInstance;
  let gate: RequestGate;
  let tokens: TokenAuthenticator;
  let now: number;
  let waiting: (() => void)[];
  let treatments: FailureTreatment[];
  let reviewed: string[];
  const jwt = (name: string): string => `e30.${Buffer.from(name).toString('base64url')}.x`;
  /** Answers that the route still owes. */
  let owed: (() => void)[];
  /** Answers that the API server still owes. */
  let asked: (() => void)[];

  beforeEach(() => {
    now = 0;
    waiting = [];
    treatments = [];
    owed = [];
    asked = [];
    reviewed = [];
    server = fastify();
    const limits = new RequestLimits({
      onFailure: (treatment) => void treatments.push(treatment),
      now: () => now,
      wait: () => new Promise((resolve) => void waiting.push(resolve)),
    });
    tokens = new TokenAuthenticator([record, made.record, other.record]);
    const authenticator = new CallerAuthenticator({
      tokens,
      kubernetes: new KubernetesAuthenticator({
        reviews: {
          userOf: async (bearer) => {
            reviewed.push(bearer);
            const name = Buffer.from(bearer.split('.')[1] ?? '', 'base64url').toString('utf8');
            if (name.startsWith('away'))
              throw new AdapterError({ code: 'Timeout', message: 'no answer', retryable: true });
            if (name.startsWith('late')) await new Promise<void>((resolve) => void asked.push(resolve));
            return { username: 'ann', uid: '1', groups: [], extra: {} };
          },
          isAllowed: () => Promise.resolve(true),
        },
        audiences: [],
        namespaces: () => [],
        now: () => now,
      }),
    });
    const rates = new RequestRates({ rates: { perCaller: 20, perAddress: 30 }, now: () => now });
    gate = new RequestGate({ authenticator, hosts: [], limits, rates });
    gate.install(server);
    gate.open();
    server.get('/protected', () => 'ok');
    server.get('/slow', () => new Promise((resolve) => void owed.push(() => resolve('ok'))));
  });
  afterEach(() => server.close());

  const ask = async (bearer: string, url = '/protected') =>
    server.inject({ url, headers: { host: 'localhost', authorization: `Bearer ${bearer}` } });
  const statusOf = async (bearer: string): Promise<number> => (await ask(bearer)).statusCode;

  it('answers nothing but what answers under every Host until the start opens it', async () => {
    const closed = fastify();
    const limits = new RequestLimits({ onFailure: (treatment) => void treatments.push(treatment) });
    const unused = { authenticate: () => Promise.reject(new Error('nobody is to be asked')) };
    new RequestGate({ authenticator: unused, hosts: [], limits, rates: { admits: () => true } }).install(
      closed,
    );
    closed.get('/healthz', { config: { isForEveryHost: true } }, () => 'ok');
    closed.get('/protected', () => 'ok');
    const headers = { host: 'localhost', authorization: `Bearer ${token}` };
    const refused = await closed.inject({ url: '/protected', headers });
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '30']);
    expect(refused.json()).toMatchObject({
      code: 'Unavailable',
      detail: 'the controller is starting; /readyz says what it waits for',
    });
    expect((await closed.inject({ url: '/healthz', headers: { host: '10.0.0.7' } })).statusCode).toBe(200);
    expect(treatments).toEqual([]);
    await closed.close();
  });

  it.each([
    { name: 'one host', head: 'GET /protected HTTP/1.1\r\nHost: localhost', want: 200 },
    { name: 'a host of another name', head: 'GET /protected HTTP/1.1\r\nHost: evil.example', want: 421 },
    {
      name: 'a second host',
      head: 'GET /protected HTTP/1.1\r\nHost: localhost\r\nhost: evil.example',
      want: 400,
    },
    {
      name: 'a URL of ours',
      head: 'GET http://localhost:80/protected HTTP/1.1\r\nHost: localhost',
      want: 200,
    },
    {
      name: 'a URL of another host',
      head: 'GET http://evil.example/protected HTTP/1.1\r\nHost: localhost',
      want: 421,
    },
    {
      name: 'a URL with a user',
      head: 'GET http://localhost@evil.example/protected HTTP/1.1\r\nHost: localhost',
      want: 421,
    },
  ])('answers a request for $name with $want', async ({ head, want }) => {
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    const client = connect(port, '127.0.0.1');
    client.write(`${head}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`);
    const [answer] = (await once(client, 'data')) as [Buffer];
    client.destroy();
    expect(Number(answer.toString().split(' ')[1])).toBe(want);
  });

  it('refuses ten wrong tokens at once, then slowly, eight at a time, then turns them away', async () => {
    for (let time = 0; time < 10; time += 1) expect(await statusOf('wrong')).toBe(401);
    const slow = Array.from({ length: 8 }, () => ask('wrong'));
    const turnedAway = await ask('wrong');
    expect([turnedAway.statusCode, turnedAway.headers['retry-after']]).toEqual([429, '1']);
    expect(turnedAway.json()).toMatchObject({ code: 'TooManyFailures' });
    expect(waiting).toHaveLength(8);
    for (const end of waiting) end();
    expect((await Promise.all(slow)).map(({ statusCode }) => statusCode)).toEqual(
      Array.from({ length: 8 }, () => 401),
    );
    expect(treatments.map((treatment) => treatment[0]).join('')).toBe('RRRRRRRRRRDDDDDDDDT');
  });

  it('never makes a valid token wait, whatever fails from its address', async () => {
    const failed = Array.from({ length: 100 }, () => ask('wrong'));
    expect(await statusOf(token)).toBe(200);
    for (const end of waiting) end();
    await Promise.all(failed);
  });

  it('has the cluster asked about no new token of an address until a minute after its last failure', async () => {
    for (let time = 0; time < 11; time += 1) void ask('wrong');
    await Promise.all(Array.from({ length: 10 }, () => setImmediate()));
    reviewed = [];
    const refused = await ask(jwt('new'));
    expect([refused.statusCode, refused.json<{ code: string }>().code]).toEqual([429, 'TooManyFailures']);
    expect(reviewed).toEqual([]);
    now += 60_000;
    expect(await statusOf(jwt('new'))).toBe(200);
    expect(reviewed).toEqual([jwt('new')]);
    for (const end of waiting) end();
  });

  it('says nothing of a token that cannot be checked, counts no failure, and asks about few of them', async () => {
    for (let time = 0; time < 40; time += 1) {
      const answer = await ask(jwt(`away ${time}`));
      expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '30']);
      expect(answer.json()).toMatchObject({ code: 'Unavailable' });
    }
    expect([treatments, reviewed.length]).toEqual([[], 3]);
    now += 60_000;
    expect(await statusOf(jwt('ann'))).toBe(200);
  });

  it('keeps the place of a caller until the work for its request has ended, whatever was answered', async () => {
    const works: (() => void)[] = [];
    server.get('/late', (request) => {
      keepPlaceDuring(request, new Promise<void>((resolve) => void works.push(resolve)));
      return 'too late';
    });
    const late = await Promise.all(Array.from({ length: 16 }, () => ask(token, '/late')));
    expect(late.map(({ statusCode }) => statusCode)).toEqual(late.map(() => 200));
    now += 1_000;
    expect(await statusOf(token)).toBe(429);
    works.pop()?.();
    await setImmediate();
    expect(await statusOf(token)).toBe(200);
  });

  it('keeps it, too, while a query goes on that is not answered any more', async () => {
    boundQueries(server, '/query');
    const works: (() => void)[] = [];
    server.get('/query', (request) => {
      beginDeadline(request, 0);
      return new Promise<void>((resolve) => void works.push(resolve));
    });
    server.setErrorHandler((_, __, reply) => reply.code(503).send('late'));
    const late = await Promise.all(Array.from({ length: 16 }, () => ask(token, '/query')));
    expect(late.map(({ statusCode }) => statusCode)).toEqual(late.map(() => 503));
    now += 1_000;
    expect(await statusOf(token)).toBe(429);
    for (const end of works) end();
    await setImmediate();
    expect(await statusOf(token)).toBe(200);
  });

  it('tells who a caller still is while its request waits', async () => {
    const known: unknown[] = [];
    server.get('/waits', async ({ principal = nobody }) => {
      known.push(await callerAgain(principal));
      tokens.replace([other.record]);
      known.push(await callerAgain(principal));
      return 'ok';
    });
    expect((await ask(token, '/waits')).statusCode).toBe(200);
    expect(known).toMatchObject([{ name: 'console' }, null]);
  });

  it.each([
    { name: 'nothing', headers: {}, failures: 0 },
    { name: 'another cookie', headers: { cookie: 'theme=dark' }, failures: 0 },
    { name: 'a session that does not hold', headers: { cookie: 'plimsoll-session=x' }, failures: 1 },
    { name: 'one over TLS', headers: { cookie: 'a=b; __Host-plimsoll-session=x' }, failures: 1 },
    { name: 'a header without a token', headers: { authorization: 'Basic x' }, failures: 1 },
  ])(
    'refuses who brings $name, and counts only what was tried as a failure',
    async ({ headers, failures }) => {
      for (let time = 0; time < 12 && failures === 0; time += 1)
        await server.inject({ url: '/protected', headers: { host: 'localhost', ...headers } });
      const answer = await server.inject({ url: '/protected', headers: { host: 'localhost', ...headers } });
      expect(answer.statusCode).toBe(401);
      expect(treatments).toHaveLength(failures);
      expect(gate.anonymousRequests).toBe(failures === 0 ? 13 : 0);
      expect(waiting).toEqual([]);
    },
  );

  it.each([
    { name: 'no token', headers: {}, failures: 0 },
    { name: 'one that does not hold', headers: { authorization: 'Bearer x' }, failures: 1 },
  ])('counts a connection that then brings $name as requests are counted', async ({ headers, failures }) => {
    expect(await gate.identify({ method: 'GET', headers, ip: '10.0.0.1' })).toBeUndefined();
    expect([treatments.length, gate.anonymousRequests]).toEqual([failures, 1 - failures]);
  });

  it('forgets failures after a minute without one', async () => {
    for (let time = 0; time < 10; time += 1) await ask('wrong');
    now += 60_000;
    expect(await statusOf('wrong')).toBe(401);
    expect(waiting).toEqual([]);
  });

  it('turns away a person beyond its rate, over all its tokens, and nobody else', async () => {
    for (let time = 0; time < 100; time += 1)
      expect(await statusOf(time % 2 === 0 ? token : made.token)).toBe(200);
    const refused = await ask(token);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(refused.json()).toMatchObject({ code: 'TooManyRequests' });
    expect([await statusOf(made.token), await statusOf(other.token)]).toEqual([429, 200]);
    now += 1_000;
    expect(await statusOf(token)).toBe(200);
  });

  it('turns away an address beyond its rate before it looks at tokens, but not probes', async () => {
    server.get('/healthz', { config: { isForEveryHost: true } }, () => 'ok');
    for (let time = 0; time < 150; time += 1) await ask(time % 2 === 0 ? token : other.token);
    expect((await ask('wrong')).json()).toMatchObject({ code: 'TooManyRequests' });
    expect(treatments).toEqual([]);
    expect((await ask(token, '/healthz')).statusCode).toBe(200);
    const elsewhere = { url: '/protected', headers: { host: 'localhost' }, remoteAddress: '192.0.2.9' };
    expect((await server.inject(elsewhere)).statusCode).toBe(401);
  });

  it('lets one person have 16 requests under way, whichever of its tokens it comes with', async () => {
    const slow = Array.from({ length: 16 }, (_, index) => ask(index % 2 === 0 ? token : made.token, '/slow'));
    expect(await statusOf(made.token)).toBe(429);
    const refused = await ask(token);
    expect([refused.statusCode, refused.json()]).toEqual([
      429,
      expect.objectContaining({ code: 'TooManyRequests' }),
    ]);
    expect(await statusOf(other.token)).toBe(200);
    for (const end of owed) end();
    await Promise.all(slow);
    expect(await statusOf(token)).toBe(200);
  });

  it('frees the place of a request that is cut off', async () => {
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    for (let time = 0; time < 17; time += 1) {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.write(`GET /slow HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n\r\n`);
      const [, response] = (await once(server.server, 'request')) as [IncomingMessage, ServerResponse];
      const closed = once(response, 'close');
      socket.destroy();
      await closed;
    }
    expect(await statusOf(token)).toBe(200);
  });

  it('frees the places of requests that came on one connection before the first was answered', async () => {
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    const request = `GET /slow HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n\r\n`;
    const [connection] = (await once(server.server, 'connection', {
      signal: AbortSignal.timeout(5_000),
    })) as [Socket];
    socket.write(request.repeat(16));
    while (owed.length < 16) await setImmediate();
    const closed = once(connection, 'close');
    socket.destroy();
    await closed;
    for (const end of owed) end();
    await setImmediate();
    expect(await statusOf(token)).toBe(200);
  });

  it('has no place for a request that was cut off before it was known whose it is', async () => {
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    for (let time = 0; time < 17; time += 1) {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.write(
        `GET /slow HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${jwt(`late ${time}`)}\r\n\r\n`,
      );
      const [, response] = (await once(server.server, 'request')) as [IncomingMessage, ServerResponse];
      while (asked.length <= time) await setImmediate();
      const closed = once(response, 'close');
      socket.destroy();
      await closed;
      asked[time]?.();
      await setImmediate();
    }
    expect(owed).toEqual([]);
    expect(await statusOf(jwt('ann'))).toBe(200);
  });
});
