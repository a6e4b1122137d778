import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type EntryOf, type LedgerWriter, policyStream } from '#ledger';
import { BatchedLedger } from '../../../apps/controller/src/admin/history/batched-ledger.ts';
import { administrationWriterToken } from '../../../apps/controller/src/ledger/ledger.module.ts';
import {
  aDecisionPayload,
  anActionDraft,
  anEventDraft,
  appended,
  timeAfter,
} from '../../support/ledger-builders.ts';
import { type AnApplication, anApplication, codesOf } from './an-application.ts';

jest.setTimeout(60_000);

/** Of the operators' actions: together 40 MB, which no buffers between two sockets take. */
const largeEntries = 200;
const largeText = 'x'.repeat(200_000);

/** Of decisions: as many as one query may read. */
const largeInputs = 6;
const largeInputBytes = 3_000_000;
/** None of which is packed as its difference from another. */
const largeInput = (index: number): string =>
  createHash('shake256', { outputLength: (largeInputBytes / 4) * 3 })
    .update(`${index}`)
    .digest('base64');

const cursor = { timeNanoseconds: 1n, position: 1n };

describe('a client that is slow or wants too much', () => {
  let application: AnApplication;
  let server: Server;
  let limits: Pick<Server, 'headersTimeout' | 'requestTimeout'>;
  let decisions: readonly string[];
  beforeAll(async () => {
    application = await anApplication();
    server = application.nest.getHttpServer();
    limits = { headersTimeout: server.headersTimeout, requestTimeout: server.requestTimeout };
    // They are read when it begins to listen. What is sent at once arrives in time on a busy machine, too.
    Object.assign(server, { headersTimeout: 3_000, requestTimeout: 5_000, connectionsCheckingInterval: 20 });
    await application.nest.init();
    const writer = application.nest.get<LedgerWriter>(administrationWriterToken);
    for (let part = 0; part < 4; part += 1) {
      const drafts = Array.from({ length: largeEntries / 4 }, (_, index) =>
        anActionDraft('ada', timeAfter(part * 100 + index), { text: largeText }),
      );
      appended(await writer.append({ drafts }));
    }
    const drafts = Array.from({ length: largeInputs }, (_, index) => {
      const payload = aDecisionPayload({ time: timeAfter(index) });
      const policy = { ...payload.input.policy, text: largeInput(index) };
      const stream = policyStream(payload.policy);
      const around = { stream, kind: 'Decision', time: timeAfter(index) } as const;
      return { ...around, payload: { ...payload, input: { ...payload.input, policy } } };
    });
    decisions = appended(await writer.append({ drafts })).map(({ stream, seq }) => `${stream}#${seq}`);
  });
  afterAll(() => application.close());

  /** A client's socket, and the end of it at the server. */
  const open = async (): Promise<{ readonly client: Socket; readonly closed: Promise<unknown> }> => {
    const connection = once(server, 'connection') as Promise<[Socket]>;
    const client = connect(Number(new URL(application.url()).port), '127.0.0.1');
    const [accepted] = await connection;
    return { client, closed: once(accepted, 'close') };
  };
  const requestOf = (method: string, path: string, more: readonly string[] = []): string =>
    [
      `${method} ${path} HTTP/1.1`,
      'Host: 127.0.0.1',
      `Authorization: Bearer ${application.tokens.admin}`,
      ...more,
      '',
      '',
    ].join('\r\n');

  /** Has the application wait for a moment where it would wait for a minute, and tells for how long it would. */
  const shortWaits = (milliseconds: number): readonly number[] => {
    const waits: number[] = [];
    jest.spyOn(ServerResponse.prototype, 'setTimeout').mockImplementation(function (
      this: ServerResponse,
      wait: number,
      callback?: () => void,
    ) {
      waits.push(wait);
      if (callback !== undefined) this.on('timeout', callback);
      this.socket?.setTimeout(milliseconds);
      return this;
    });
    return waits;
  };
  afterEach(() => void jest.restoreAllMocks());

  const page = '/api/v1/audit-entries?kind=OperatorAction';
  it.each([
    { name: 'lines', path: page, accept: 'application/x-ndjson' },
    { name: 'a page', path: `${page}&first=50`, accept: 'application/json' },
  ])('is cut off where it stops reading $name', async ({ path, accept }) => {
    const waits = shortWaits(50);
    const { client, closed } = await open();
    client.write(requestOf('GET', path, [`Accept: ${accept}`]));
    const [first] = (await once(client, 'data')) as [Buffer];
    client.pause();
    expect(first.toString()).toContain('HTTP/1.1 200 OK');
    await closed;
    expect(waits).toEqual([60_000]);
    client.destroy();
  });

  it.each([
    {
      name: 'REST',
      request: () => requestOf('GET', '/api/v1/flapping-policies?from=2026-01-01T00%3A00%3A00Z'),
    },
    {
      name: 'GraphQL',
      request: () => {
        const query = '{ flappingPolicies(from: "2026-01-01T00:00:00Z") { isComplete } }';
        return requestOf('GET', `/graphql?query=${encodeURIComponent(query)}`);
      },
    },
  ])('has nothing more read for it once it has left, by $name', async ({ request }) => {
    const first = Promise.withResolvers<undefined>();
    const gone = Promise.withResolvers<undefined>();
    let statements = 0;
    // There is always another page.
    jest.spyOn(BatchedLedger.prototype, 'entries').mockImplementation(async () => {
      statements += 1;
      first.resolve(undefined);
      await gone.promise;
      return { items: [{ entry: anEventDraft() as EntryOf<'ScalingEvent'>, cursor }], hasMore: true };
    });
    const { client, closed } = await open();
    client.write(request());
    await first.promise;
    client.destroy();
    await closed;
    gone.resolve(undefined);
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    expect(statements).toBe(1);
  });

  it('has all of it where it only takes its time', async () => {
    const { client } = await open();
    client.write(requestOf('GET', page, ['Accept: application/x-ndjson', 'Connection: close']));
    let bytes = 0;
    for await (const chunk of client) {
      bytes += (chunk as Buffer).length;
      await setImmediate();
    }
    expect(bytes).toBeGreaterThan(largeEntries * largeText.length);
  });

  it.each([
    {
      name: 'its headers',
      head: 'POST /api/v1/sources/policies/sync HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: ',
    },
    { name: 'a body', head: null },
  ])('is cut off where it sends $name byte by byte', async ({ head }) => {
    // Of the two, Node takes the longer one for the whole of a request.
    expect(limits).toEqual({ headersTimeout: 30_000, requestTimeout: 30_000 });
    const { client, closed } = await open();
    const json = ['Content-Type: application/json', 'Content-Length: 100000'];
    client.write(head ?? requestOf('POST', '/graphql', json));
    client.on('error', () => undefined);
    let answer = '';
    client.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    const trickle = setInterval(() => client.write('x'), 10);
    await closed;
    clearInterval(trickle);
    client.destroy();
    expect(answer).toContain('HTTP/1.1 408 Request Timeout');
    expect(answer).toContain('"code":"RequestTimeout"');
  });

  it('is told that a page is too large, whatever it is a page of', async () => {
    const answer = await fetch(`${application.url()}${page}&first=100`, {
      headers: { authorization: `Bearer ${application.tokens.admin}` },
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/problem+json']);
    expect(await answer.json()).toMatchObject({ status: 400, code: 'AnswerTooLarge' });
    const smaller = await fetch(`${application.url()}${page}&first=10`, {
      headers: { authorization: `Bearer ${application.tokens.admin}` },
    });
    expect([smaller.status, (await smaller.text()).length > 10 * largeText.length]).toEqual([200, true]);
  });

  it('is told that the inputs of a query are too large together, and has fewer of them', async () => {
    const of = (ids: readonly string[]): string =>
      `{ ${ids.map((id, index) => `d${index}: decision(id: "${id}") { input }`).join(' ')} }`;
    const refused = await application.ask(of(decisions));
    expect(codesOf(refused)).toContain('AnswerTooLarge');
    const answered = await application.ask(of(decisions.slice(0, 5)));
    expect(codesOf(answered)).toEqual([]);
    expect(JSON.stringify(answered.body.data).length).toBeGreaterThan(5 * largeInputBytes);
  });
});
