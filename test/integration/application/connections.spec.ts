import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { aSubscriber } from '../../support/graphql-subscriber.ts';
import { type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(60_000);

const connections = 100;

let application: AnApplication;
const strangers: Socket[] = [];
beforeAll(async () => {
  application = await anApplication({
    configuration: { listen: { port: 0, metricsPort: 0, connections } },
  });
  await application.nest.init();
});
afterAll(async () => {
  for (const stranger of strangers) stranger.destroy();
  await application.close();
});

const openAsStranger = async (begin = ''): Promise<Socket> => {
  const server: Server = application.nest.getHttpServer();
  const accepted = once(server, 'connection');
  const stranger = connect(Number(new URL(application.url()).port), '127.0.0.1');
  stranger.on('error', () => undefined).resume();
  strangers.push(stranger);
  await accepted;
  if (begin !== '') stranger.write(begin);
  return stranger;
};

/** A route without authentication, and a body that does not end. */
const unfinished = [
  'POST /auth/session HTTP/1.1',
  'Host: 127.0.0.1',
  'Content-Type: application/json',
  'Content-Length: 1000',
  '',
  '{',
].join('\r\n');

it('answers probes and callers, and keeps a subscriber, while strangers open more connections than there is room for', async () => {
  const authorization = `Bearer ${application.tokens.viewer}`;
  const subscriber = await aSubscriber(application.url(), { authorization });
  await subscriber.initialise();
  const first = await openAsStranger(unfinished);
  const ended = once(first, 'close');
  for (let count = 0; count < 2 * connections; count += 1)
    await openAsStranger(count % 2 === 0 ? unfinished : '');
  await ended;
  const ask = async (path: string, headers: Record<string, string> = {}): Promise<number> => {
    const answer = await fetch(`${application.url()}${path}`, {
      headers: { ...headers, connection: 'close' },
    });
    await answer.text();
    return answer.status;
  };
  expect(await ask('/healthz')).toBe(200);
  expect(await ask('/api/v1/me', { authorization })).toBe(200);
  expect(strangers.filter(({ closed }) => !closed).length).toBeLessThan(connections);
  expect(subscriber.closed()).toBeUndefined();
  subscriber.close();
  await subscriber.whenClosed();
  expect(application.log).toContainEqual(
    expect.objectContaining({
      msg: 'a connection was ended to make room for a new one',
      maximum: connections,
    }),
  );
});
