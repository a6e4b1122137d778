import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Post } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { aDelivery } from '../../../../test/support/webhook-deliveries.ts';
import { RequestGate } from '../auth/request-gate.ts';
import { TokenAuthenticator } from '../auth/token-authenticator.ts';
import { configureApplication, createHttpAdapter } from '../http/configure-application.ts';
import { ProblemFilter } from '../http/problem.filter.ts';
import { EventLoopMonitor } from '../metrics/event-loop-monitor.ts';
import { maximumDeliveryBytes, WebhookGate } from './webhook-gate.ts';
import { WebhookReceiver } from './webhook-receiver.ts';
import { WebhooksController } from './webhooks.controller.ts';

import 'reflect-metadata';

const secret = 'webhook-secret';
const logger = pino({ level: 'silent' });

/** A route that needs a token. */
@Controller()
class GraphqlStandIn {
  @Post('graphql')
  ask(): string {
    return 'open';
  }
}

describe('POST /webhooks/<source>', () => {
  let application: NestFastifyApplication;
  let server: FastifyInstance;
  let triggered: string[];
  let now: number;
  let secretsRead: PromiseWithResolvers<readonly string[]> | undefined;

  beforeEach(async () => {
    triggered = [];
    now = 0;
    secretsRead = undefined;
    const receiver = new WebhookReceiver({
      sources: [{ name: 'policies', ref: 'main', provider: 'github', secretFile: 'secret' }],
      isActive: () => true,
      loadSecrets: () => secretsRead?.promise ?? Promise.resolve([secret]),
      trigger: (source) => {
        triggered.push(source);
        return 'Started';
      },
      now: () => 1_795_000_000_000,
      logger,
    });
    const testing = await Test.createTestingModule({
      controllers: [WebhooksController, GraphqlStandIn],
      providers: [
        { provide: WebhookReceiver, useValue: receiver },
        { provide: WebhookGate, useValue: new WebhookGate({ receiver, now: () => now }) },
        {
          provide: RequestGate,
          useValue: new RequestGate({ authenticator: new TokenAuthenticator([]), hosts: [] }),
        },
        { provide: APP_FILTER, useValue: new ProblemFilter(logger) },
        { provide: EventLoopMonitor, useValue: new EventLoopMonitor({ logger, observe: () => undefined }) },
      ],
    }).compile();
    application = testing.createNestApplication<NestFastifyApplication>(createHttpAdapter(), {
      bodyParser: false,
      logger: false,
    });
    configureApplication(application);
    await application.init();
    server = application.getHttpAdapter().getInstance();
  });
  afterEach(() => application.close());

  const send = async (given: { readonly body?: string; readonly id?: string; readonly host?: string }) => {
    const { headers, body } = aDelivery('github', { secret, ...given });
    return server.inject({
      method: 'POST',
      url: '/webhooks/policies',
      headers: { ...headers, host: given.host ?? 'localhost' },
      payload: body,
    });
  };

  it('checks the bytes as they came, whatever they are', async () => {
    const odd = await send({ body: '{ "ref" : "refs/heads/main" }\r\n' });
    expect([odd.statusCode, odd.json()]).toEqual([202, { result: 'Started' }]);
    expect(triggered).toEqual(['policies']);
  });

  it('answers problem+json', async () => {
    const answer = await server.inject({ method: 'POST', url: '/webhooks/policies' });
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(answer.json()).toEqual({
      type: 'about:blank',
      status: 401,
      code: 'DeliveryRefused',
      title: 'no source of that name believes the delivery; the log of the controller says why',
    });
  });

  it('takes 4 MiB and not a byte more', async () => {
    const fits = `{"ref":"refs/heads/main"}`.padEnd(maximumDeliveryBytes);
    expect((await send({ body: fits })).statusCode).toBe(202);
    const tooLarge = await send({ body: `${fits} ` });
    expect([tooLarge.statusCode, tooLarge.json()]).toEqual([
      413,
      expect.objectContaining({ code: 'BodyTooLarge' }),
    ]);
  });

  it('reads at most 16 deliveries at a time', async () => {
    secretsRead = Promise.withResolvers();
    const waiting = Array.from({ length: 16 }, (_, index) => send({ id: String(index) }));
    const refused = await send({ id: 'one more' });
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '30']);
    secretsRead.resolve([secret]);
    expect((await Promise.all(waiting)).map(({ statusCode }) => statusCode)).toContain(202);
    expect((await send({ id: 'later', body: '{}' })).statusCode).toBe(202);
  });

  it('lets a push in while strangers send slowly, and cuts the slowest off', async () => {
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    const slow = Array.from({ length: 16 }, () => connect(port, '127.0.0.1'));
    const ended = slow.map(
      (socket) => new Promise<void>((end) => socket.on('error', () => end()).on('close', end)),
    );
    const arrived = Promise.withResolvers<undefined>();
    let count = 0;
    server.server.on('request', () => {
      count += 1;
      if (count === slow.length) arrived.resolve(undefined);
    });
    for (const socket of slow) {
      socket.write(
        'POST /webhooks/policies HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\nx-hub-signature-256: x\r\n\r\n{',
      );
    }
    await arrived.promise;
    expect((await send({ id: 'early' })).statusCode).toBe(503);
    now += 2_000;
    expect((await send({ id: 'late' })).statusCode).toBe(202);
    await Promise.race(ended);
    for (const socket of slow) socket.destroy();
  });

  it('opens no other path, and no other host', async () => {
    for (const url of [
      '/graphql',
      '/webhooks',
      '/webhooks/',
      '/webhooks/policies/',
      '/webhooks/a/../../graphql',
    ]) {
      const answer = await server.inject({ method: 'POST', url });
      expect([url, [401, 404].includes(answer.statusCode)]).toEqual([url, true]);
    }
    expect((await send({ host: 'evil.example' })).statusCode).toBe(421);
    expect(triggered).toEqual([]);
  });
});
