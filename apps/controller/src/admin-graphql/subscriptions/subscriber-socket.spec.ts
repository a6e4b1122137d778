import { EventEmitter } from 'node:events';
import type { WebSocket } from '@fastify/websocket';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { SubscriberSocket } from './subscriber-socket.ts';

/** What is done to a connection. */
class RecordingSocket extends EventEmitter {
  readonly done: string[] = [];

  ping(): void {
    this.done.push('ping');
  }

  close(code: number, reason: string): void {
    this.done.push(`close ${code} ${reason}`);
  }

  terminate(): void {
    this.done.push('terminate');
  }
}

describe('the connection of a subscriber', () => {
  let connection: RecordingSocket;
  let socket: SubscriberSocket;
  beforeEach(() => {
    connection = new RecordingSocket();
    const request = { method: 'GET', headers: {}, ip: '127.0.0.1' } as FastifyRequest;
    socket = new SubscriberSocket(connection as unknown as WebSocket, request);
  });
  const pass = (seconds: number): void => {
    for (let second = 0; second < seconds; second += 1) socket.tick();
  };

  it('is pinged every 15 seconds as long as it answers', () => {
    pass(15);
    connection.emit('pong');
    pass(15);
    connection.emit('pong');
    pass(14);
    expect(connection.done).toEqual(['ping', 'ping']);
  });

  it('is told why it is cut off where it has not answered a ping by the next', () => {
    pass(30);
    expect(connection.done).toEqual([
      'ping',
      'close 4413 Events were not read in time: read what was missed, and subscribe again',
    ]);
  });
});
