import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
import { buildSchema } from 'graphql';
import pino from 'pino';
import WebSocket from 'ws';
import { grantEverywhere, type Principal } from '../../auth/principal.ts';
import { SubscriptionServer } from './subscription-server.ts';

const principalOf = ({ headers: { authorization = '' } }: Pick<FastifyRequest, 'headers'>): Principal => ({
  name: authorization,
  grants: grantEverywhere('viewer'),
});

describe('the connections of subscribers', () => {
  let server: FastifyInstance;
  afterEach(() => server.close());

  it('of a revoked token are closed while it takes long to tell whose another token is', async () => {
    server = fastify();
    server.addHook('onRequest', async (request) => {
      await Promise.resolve();
      request.principal = principalOf(request);
    });
    const subscriptions = new SubscriptionServer({
      gate: {
        callerOf: ({ headers: { authorization } }) =>
          authorization === 'slow' ? Promise.withResolvers<Principal>().promise : Promise.resolve(undefined),
        identify: (request) => Promise.resolve(principalOf(request)),
      },
      schemaHost: { schema: buildSchema('type Query { x: Int }') } as never,
      limits: { perCaller: 2, total: 2 },
      known: { require: () => undefined },
      activities: { note: () => undefined },
      logger: pino({ level: 'silent' }),
    });
    subscriptions.install(server);
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    const open = async (authorization: string): Promise<WebSocket> => {
      const url = `ws://127.0.0.1:${port}/graphql/subscriptions`;
      const socket = new WebSocket(url, 'graphql-transport-ws', { headers: { authorization } });
      await once(socket, 'open');
      socket.send(JSON.stringify({ type: 'connection_init' }));
      return socket;
    };
    const slow = await open('slow');
    const revoked = await open('revoked');
    expect((await once(revoked, 'close'))[0]).toBe(4401);
    expect(slow.readyState).toBe(WebSocket.OPEN);
    slow.terminate();
  });
});
