import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConnectionRoom } from './connection-room.ts';

describe('the room for connections', () => {
  let server: Server;
  let lines: object[];
  let time: number;
  /** Answers that wait until the test ends them. */
  let waiting: ServerResponse[];
  let clients: Socket[];
  beforeEach(async () => {
    [lines, waiting, clients, time] = [[], [], [], 0];
    const logger = { warn: (fields: object) => void lines.push(fields) };
    const room = new ConnectionRoom({ maximum: 2, logger, now: () => time });
    server = createServer((request, response) => {
      room.hold(request, response);
      waiting.push(response);
    });
    room.install(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const client of clients) client.destroy();
    server.close();
  });

  const open = async (): Promise<Socket> => {
    const accepted = once(server, 'connection');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined).resume();
    clients.push(client);
    await accepted;
    return client;
  };
  const ask = async (client: Socket): Promise<void> => {
    const asked = once(server, 'request');
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await asked;
  };
  const ended = async (client: Socket): Promise<boolean> =>
    client.closed || (await once(client, 'close'), true);

  it('ends the connection that was idle for the longest', async () => {
    const first = await open();
    const second = await open();
    const third = await open();
    expect(await ended(first)).toBe(true);
    await ask(third);
    await ask(second);
    expect(lines).toEqual([{ maximum: 2, alike: 0, setting: 'listen.connections' }]);
  });

  it('ends none that something is made for, and rather the new one', async () => {
    const first = await open();
    await ask(first);
    const second = await open();
    await ask(second);
    expect(await ended(await open())).toBe(true);
    waiting[0]?.end();
    await once(first, 'data');
    await open();
    expect(await ended(first)).toBe(true);
    expect(second.closed).toBe(false);
  });

  it('keeps a connection until the last of its requests is answered', async () => {
    const first = await open();
    await ask(first);
    await ask(first);
    const second = await open();
    const answered = once(waiting[0] as ServerResponse, 'close');
    waiting[0]?.end();
    await answered;
    await open();
    expect(await ended(second)).toBe(true);
    expect(first.closed).toBe(false);
  });

  it('says so once a minute, and how often besides', async () => {
    for (let count = 0; count < 5; count += 1) await open();
    time = 60_000;
    await open();
    expect(lines).toMatchObject([{ alike: 0 }, { alike: 2 }]);
  });
});
