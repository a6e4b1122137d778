import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Post } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { aDelivery } from '../../../../test/support/webhook-deliveries.ts';
import { SubscriptionServer } from '../admin-graphql/subscriptions/subscription-server.ts';
import { CallerAuthenticator } from '../auth/gate/caller-authenticator.ts';
import { RequestGate } from '../auth/gate/request-gate.ts';
import { TokenAuthenticator } from '../auth/identities/token-authenticator.ts';
import { RequestLimits } from '../auth/limits/request-limits.ts';
import { configureApplication, createHttpAdapter } from '../configure-application.ts';
import { BuiltConsole } from '../console/built-console.ts';
import { MissingPages } from '../console/missing-pages.ts';
import { ConnectionRoom } from '../http/connection-room.ts';
import { LoopActivities } from '../logging/loop-activities.ts';
import { ProblemFilter } from '../refusals/problem.filter.ts';
import { RequestForwarding } from '../replicas/request-forwarding.ts';
import { maximumDeliveryBytes, WebhookGate } from './webhook-gate.ts';
import { WebhookReceiver } from './webhook-receiver.ts';
import { WebhooksController } from './webhooks.controller.ts';

import 'reflect-metadata';

const secret = 'webhook-secret';
let lines: unknown[] = [];
const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });

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
  let deadlineMilliseconds: number;

  beforeEach(async () => {
    triggered = [];
    lines = [];
    deadlineMilliseconds = 60_000;
    const receiver = new WebhookReceiver({
      sources: [{ name: 'policies', ref: 'main', provider: 'github', secretFile: 'secret' }],
      isActive: () => true,
      loadSecrets: () => Promise.resolve([secret]),
      trigger: (source) => {
        triggered.push(source);
        return 'Started';
      },
      now: () => 1_795_000_000_000,
      logger,
    });
    const gate = new RequestGate({
      authenticator: new CallerAuthenticator({ tokens: new TokenAuthenticator([]) }),
      hosts: [],
      limits: new RequestLimits({ onFailure: () => undefined }),
      rates: { admits: () => true },
    });
    gate.open();
    const testing = await Test.createTestingModule({
      controllers: [WebhooksController, GraphqlStandIn],
      providers: [
        { provide: WebhookReceiver, useValue: receiver },
        {
          provide: WebhookGate,
          useValue: new WebhookGate({ receiver, bodyDeadlineMilliseconds: () => deadlineMilliseconds }),
        },
        {
          provide: RequestGate,
          useValue: gate,
        },
        { provide: ProblemFilter, useValue: new ProblemFilter(logger) },
        { provide: APP_FILTER, useExisting: ProblemFilter },
        { provide: RequestForwarding, useValue: { install: () => undefined } },
        { provide: SubscriptionServer, useValue: { install: () => undefined } },
        { provide: ConnectionRoom, useValue: new ConnectionRoom({ maximum: 100, logger }) },
        { provide: MissingPages, useValue: new MissingPages(new BuiltConsole('none')) },
        LoopActivities,
      ],
    }).compile();
    application = testing.createNestApplication<NestFastifyApplication>(createHttpAdapter(['127.0.0.1']), {
      bodyParser: false,
      logger: false,
    });
    configureApplication(application);
    await application.init();
    server = application.getHttpAdapter().getInstance();
  });
  afterEach(() => application.close());

  const listen = async (): Promise<number> => {
    await server.listen({ port: 0, host: '127.0.0.1' });
    return (server.server.address() as AddressInfo).port;
  };

  const send = async (given: {
    readonly body?: string;
    readonly id?: string;
    readonly host?: string;
    readonly signedWith?: string;
  }) => {
    const { headers, body } = aDelivery('github', { secret: given.signedWith ?? secret, ...given });
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
      title: 'Unauthorized',
      status: 401,
      code: 'DeliveryRefused',
      detail: 'no source of that name believes the delivery; the log of the controller says why',
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

  it('logs a body in chunks that is too large', async () => {
    const { headers } = aDelivery('github', { secret });
    const payload = Readable.from([Buffer.alloc(maximumDeliveryBytes), Buffer.alloc(1)]);
    const answer = await server.inject({
      method: 'POST',
      url: '/webhooks/policies',
      headers: { ...headers, 'transfer-encoding': 'chunked' },
      payload,
    });
    expect([answer.statusCode, answer.json()]).toEqual([
      413,
      expect.objectContaining({ code: 'BodyTooLarge' }),
    ]);
    expect(lines).toEqual([expect.objectContaining({ source: 'policies', reason: 'BodyTooLarge' })]);
  });

  it('cuts a body off that has not arrived by the deadline, and logs it', async () => {
    deadlineMilliseconds = 1;
    const port = await listen();
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    const closed = once(socket, 'close');
    socket.write(`${strangerHead({ bytes: 9 })}{`);
    await closed;
    expect(lines).toEqual([expect.objectContaining({ source: 'policies', reason: 'BodyTooSlow' })]);
    deadlineMilliseconds = 60_000;
    expect((await send({ id: 'later' })).statusCode).toBe(202);
  });

  // The proxy at 127.0.0.1 is a trusted one: what it forwards is whose address counts; without a header it is its own.
  it.each([
    { strangers: 32, name: 'each with an address', stranger: '192.0.2.1', forge: '198.51.100.1' },
    { strangers: 500, name: 'each with an address', stranger: '192.0.2.1', forge: '198.51.100.1' },
    { strangers: 32, name: 'behind a proxy that is not configured', stranger: undefined, forge: undefined },
    { strangers: 500, name: 'behind a proxy that is not configured', stranger: undefined, forge: undefined },
  ])(
    'takes 30 of 30 signed deliveries while $strangers sockets send slowly or falsely signed, $name',
    async ({ strangers, stranger, forge }) => {
      const port = await listen();
      const hostile = new HostileSockets(port, stranger);
      hostile.open(strangers);
      await hostile.whenBegun(strangers);
      const statuses: (number | undefined)[] = [];
      for (let batch = 0; batch < 3; batch += 1) {
        const ids = Array.from({ length: 10 }, (_, index) => `${batch} ${index}`);
        const sent = ids.map((id) => post(port, { id, body: `{"sent":"${id}"}`, forwardedFor: forge }));
        statuses.push(...(await Promise.all(sent)));
      }
      hostile.close();
      expect(statuses).toEqual(Array.from({ length: 30 }, () => 202));
    },
    60_000,
  );

  it('lets in a hook that verified before, by the query of its URL, while its address fails', async () => {
    const { headers, body } = aDelivery('github', { secret, id: 'first' });
    const url = '/webhooks/policies?hook=2Vd8';
    const deliver = (id: string) =>
      server.inject({ method: 'POST', url, headers: { ...headers, 'x-github-delivery': id }, payload: body });
    expect((await deliver('first')).statusCode).toBe(202);
    for (let time = 0; time < 20; time += 1) await send({ signedWith: 'wrong' });
    expect((await deliver('second')).json()).toEqual({ result: 'Duplicate' });
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

/** The head of a delivery that is well formed and falsely signed. */
function strangerHead({
  bytes,
  forwardedFor,
}: {
  readonly bytes: number;
  readonly forwardedFor?: string | undefined;
}): string {
  return [
    'POST /webhooks/policies HTTP/1.1',
    'host: localhost',
    `content-length: ${bytes}`,
    'x-github-event: push',
    'x-github-delivery: 1',
    `x-hub-signature-256: sha256=${'0'.repeat(64)}`,
    ...(forwardedFor === undefined ? [] : [`x-forwarded-for: ${forwardedFor}`]),
    '\r\n',
  ].join('\r\n');
}

/** Sockets that send deliveries falsely signed, every other one a body that never ends; a closed one comes again. */
class HostileSockets {
  readonly #port: number;
  readonly #forwardedFor: string | undefined;
  readonly #sockets = new Set<Socket>();
  #written = 0;
  #isClosed = false;
  #waiting: { readonly count: number; readonly resolve: () => void } | undefined;

  constructor(port: number, forwardedFor: string | undefined) {
    this.#port = port;
    this.#forwardedFor = forwardedFor;
  }

  open(count: number): void {
    for (let index = 0; index < count; index += 1) this.#connect(index % 2 === 0 ? 1_000 : 2);
  }

  /** Resolves when so many deliveries were begun. */
  whenBegun(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = { count, resolve };
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #connect(bytes: number): void {
    const socket = connect(this.#port, '127.0.0.1', () => {
      socket.write(`${strangerHead({ bytes, forwardedFor: this.#forwardedFor })}{}`);
      this.#written += 1;
      if (this.#waiting !== undefined && this.#written >= this.#waiting.count) this.#waiting.resolve();
    });
    this.#sockets.add(socket);
    socket
      .on('data', () => socket.destroy())
      .on('error', () => undefined)
      .on('close', () => {
        this.#sockets.delete(socket);
        if (!this.#isClosed) this.#connect(bytes);
      });
  }
}

interface SignedPost {
  readonly id: string;
  readonly body: string;
  readonly forwardedFor: string | undefined;
}

/** The status of a signed delivery; undefined: the connection was cut off. */
function post(port: number, { id, body, forwardedFor }: SignedPost): Promise<number | undefined> {
  const delivery = aDelivery('github', { secret, id, body });
  return new Promise((resolve) => {
    request(
      {
        port,
        host: '127.0.0.1',
        path: '/webhooks/policies',
        method: 'POST',
        agent: false,
        headers: {
          ...delivery.headers,
          host: 'localhost',
          ...(forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }),
        },
      },
      (response) => resolve(response.resume().statusCode),
    )
      .on('error', () => resolve(undefined))
      .end(delivery.body);
  });
}
