import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
import { buildSchema } from 'graphql';
import pino from 'pino';
import WebSocket from 'ws';
import { grantEverywhere, type Principal } from '../../auth/callers/principal.ts';
import { unanswered } from '../../auth/callers/refusal-problems.ts';
import type { RequestGate } from '../../auth/gate/request-gate.ts';
import { ProblemError } from '../../http/problem-error.ts';
import { SubscriptionServer } from './subscription-server.ts';

const principalOf = ({ headers: { authorization = '' } }: Pick<FastifyRequest, 'headers'>): Principal => ({
  name: authorization,
  grants: grantEverywhere('viewer'),
});

const away = new ProblemError(unanswered);

describe('the connections of subscribers', () => {
  let server: FastifyInstance;
  afterEach(async () => {
    jest.restoreAllMocks();
    await server.close();
  });

  /** Opens connections to a server whose gate answers so. */
  const serve = async (
    gate: Pick<RequestGate, 'callerOf' | 'identify'>,
  ): Promise<(headers: Readonly<Record<string, string>>, payload?: object) => Promise<WebSocket>> => {
    server = fastify();
    server.addHook('onRequest', async (request) => {
      await Promise.resolve();
      if (request.headers.authorization !== undefined) request.principal = principalOf(request);
    });
    const subscriptions = new SubscriptionServer({
      gate,
      schemaHost: { schema: buildSchema('type Query { x: Int }') } as never,
      limits: { perCaller: 2, total: 2 },
      known: { require: () => undefined },
      activities: { note: () => undefined },
      logger: pino({ level: 'silent' }),
    });
    subscriptions.install(server);
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    return async (headers, payload) => {
      const url = `ws://127.0.0.1:${port}/graphql/subscriptions`;
      const socket = new WebSocket(url, 'graphql-transport-ws', { headers });
      await once(socket, 'open');
      socket.send(JSON.stringify({ type: 'connection_init', payload }));
      return socket;
    };
  };

  it.each([
    { name: 'nothing', payload: undefined },
    { name: 'null', payload: { authorization: null } },
    { name: 'an empty text', payload: { authorization: '' } },
  ])('bring no token where their first message has $name in its place', async ({ payload }) => {
    const asked: unknown[] = [];
    const open = await serve({
      callerOf: () => Promise.resolve(undefined),
      identify: ({ headers }) => {
        asked.push(headers);
        return Promise.resolve(undefined);
      },
    });
    expect((await once(await open({}, payload), 'close'))[0]).toBe(4403);
    expect(asked).toEqual([{}]);
  });

  it('of a revoked token are closed while it takes long to tell whose another token is', async () => {
    const open = await serve({
      callerOf: ({ headers: { authorization } }) =>
        authorization === 'slow' ? Promise.withResolvers<Principal>().promise : Promise.resolve(undefined),
      identify: (request) => Promise.resolve(principalOf(request)),
    });
    const slow = await open({ authorization: 'slow' });
    const revoked = await open({ authorization: 'revoked' });
    expect((await once(revoked, 'close'))[0]).toBe(4401);
    expect(slow.readyState).toBe(WebSocket.OPEN);
    slow.terminate();
  });

  it('stay open while nobody can tell whose the token is, until that takes too long, and are told to come again', async () => {
    const asked: (() => void)[] = [];
    const open = await serve({
      callerOf: () => {
        asked.splice(0).forEach((hear) => hear());
        return Promise.reject(away);
      },
      identify: (request) => Promise.resolve(principalOf(request)),
    });
    const socket = await open({ authorization: 'known' });
    const closed = once(socket, 'close');
    for (let time = 0; time < 2; time += 1) await new Promise<void>((resolve) => void asked.push(resolve));
    expect(socket.readyState).toBe(WebSocket.OPEN);
    const now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => now + 30_000);
    expect((await closed)[0]).toBe(1013);
  });

  it('are told to come again where nobody can tell whose the token of their first message is', async () => {
    const open = await serve({
      callerOf: () => Promise.resolve(undefined),
      identify: () => Promise.reject(away),
    });
    const socket = await open({}, { authorization: 'Bearer a.b.c' });
    expect((await once(socket, 'close'))[0]).toBe(1013);
  });
});
