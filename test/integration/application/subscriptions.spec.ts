import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type EntryDraft, entryId, type LedgerWriter } from '#ledger';
import { LiveEvents } from '../../../apps/controller/src/admin/history/live-events.ts';
import {
  SourceAccess,
  type VisibleSource,
} from '../../../apps/controller/src/admin/sources/source-access.ts';
import { SubscriberSocket } from '../../../apps/controller/src/admin-graphql/subscriptions/subscriber-socket.ts';
import { grantEverywhere, type Principal } from '../../../apps/controller/src/auth/callers/principal.ts';
import { administrationWriterToken } from '../../../apps/controller/src/ledger/ledger.module.ts';
import { soon } from '../../e2e/support/soon.ts';
import { aSubscriber, type GraphqlSubscriber } from '../../support/graphql-subscriber.ts';
import { aDecisionDraft, anEventDraft, anIntentDraft, appended } from '../../support/ledger-builders.ts';
import { type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(60_000);

const root: Principal = { name: 'root', grants: grantEverywhere('admin') };
const shopper: Principal = { name: 'shopper', grants: [{ role: 'viewer', namespaces: ['shop'] }] };
const token: Principal = { ...shopper, name: 'shopper/ci', owner: 'shopper' };
const other: Principal = { name: 'other', grants: [{ role: 'admin', namespaces: ['other-*'] }] };

const ofShop = { namespace: 'shop', name: 'checkout' };
const ofOther = { namespace: 'other-team', name: 'web' };
const decisions = 'subscription { decisions { reason policy { namespace } } }';

let application: AnApplication;
const opened: GraphqlSubscriber[] = [];
beforeAll(async () => {
  application = await anApplication({
    callers: [root, shopper, token, other],
    configuration: { listen: { port: 0, metricsPort: 0, subscribers: { perCaller: 4, total: 12 } } },
  });
  await application.nest.init();
});
afterAll(async () => {
  for (const each of opened) each.close();
  await application.close();
});

const bearer = (caller: string): string => `Bearer ${application.callerTokens[caller] ?? ''}`;
const connectAs = async (caller?: string): Promise<GraphqlSubscriber> => {
  const made = await aSubscriber(
    application.url(),
    caller === undefined ? {} : { authorization: bearer(caller) },
  );
  opened.push(made);
  return made;
};
const subscriberOf = async (caller: string, query = decisions): Promise<GraphqlSubscriber> => {
  const made = await connectAs(caller);
  await made.initialise();
  const before = listeners();
  made.subscribe('1', query);
  await soon('it listens', () => listeners() > before || made.messages.length > 1 || undefined);
  return made;
};
const end = async (subscriber: GraphqlSubscriber): Promise<void> => {
  subscriber.close();
  await subscriber.whenClosed();
};
let listening = 0;
const listeners = (): number => listening;
beforeAll(() => {
  // Counts who listens, so that nothing is appended before.
  const events = application.nest.get(LiveEvents);
  const watchEntries = events.watchEntries.bind(events);
  jest.spyOn(events, 'watchEntries').mockImplementation((subscriber, kind, filter) => {
    const queue = watchEntries(subscriber, kind, filter);
    listening += 1;
    return queue;
  });
});
const append = async (...drafts: EntryDraft[]) =>
  appended(await application.nest.get<LedgerWriter>(administrationWriterToken).append({ drafts }));

describe('a subscription', () => {
  it('tells each caller what is recorded of the namespaces that it may view, in order', async () => {
    const [ofRoot, ofShopper, ofOthers] = await Promise.all([
      subscriberOf('root'),
      subscriberOf('shopper'),
      subscriberOf('other'),
    ]);
    await append(
      aDecisionDraft({ policy: ofShop, reason: 'one' }),
      aDecisionDraft({ policy: ofOther, reason: 'two' }),
      aDecisionDraft({ policy: ofShop, reason: 'three' }),
    );
    await soon('all are told', () => ofRoot.results('1').length === 3 || undefined);
    const told = (subscriber: GraphqlSubscriber) =>
      subscriber.results('1').map((each) => (each as DecisionResult).data.decisions.reason);
    expect(told(ofRoot)).toEqual(['one', 'two', 'three']);
    await soon('the other is told', () => ofOthers.results('1').length > 0 || undefined);
    await soon('the shopper is told', () => ofShopper.results('1').length > 1 || undefined);
    expect(told(ofShopper)).toEqual(['one', 'three']);
    expect(told(ofOthers)).toEqual(['two']);
    for (const each of [ofRoot, ofShopper, ofOthers]) await end(each);
  });

  it.each([
    { query: 'subscription { decisions(where: { namespaces: ["other-team"] }) { reason } }', want: ['b'] },
    {
      query:
        'subscription { decisions(where: { policy: { namespace: "shop", name: "checkout" } }) { reason } }',
      want: ['a'],
    },
  ])('is narrowed by $query', async ({ query, want }) => {
    const subscriber = await subscriberOf('root', query);
    await append(
      aDecisionDraft({ policy: ofShop, reason: 'a' }),
      aDecisionDraft({ policy: ofOther, reason: 'b' }),
    );
    await soon('one is told', () => subscriber.results('1').length > 0 || undefined);
    expect(subscriber.results('1').map((each) => (each as DecisionResult).data.decisions.reason)).toEqual(
      want,
    );
    await end(subscriber);
  });

  it('tells scaling events, actions and syncs', async () => {
    const subscriber = await subscriberOf('root', 'subscription { scalingEvents { from to } }');
    const before = listeners();
    subscriber.subscribe('2', 'subscription { actions { actor action outcome } }');
    subscriber.subscribe('3', 'subscription { syncs(source: "policies") { source outcome } }');
    await soon('both listen', () => listeners() === before + 2 || undefined);
    const [intent] = await append(anIntentDraft());
    await append(anEventDraft({ intent: intent === undefined ? null : entryId(intent) }));
    application.repository.commit('Break a policy', { 'broken.yaml': 'kind: AutoscalingPolicy\n' });
    const { body } = await application.askAs(
      'root',
      'mutation { syncNow(source: "policies") { __typename } }',
    );
    expect(body).toEqual({ data: { syncNow: { __typename: 'SyncResult' } } });
    await soon(
      'all are told',
      () => ['1', '2', '3'].every((id) => subscriber.results(id).length > 0) || undefined,
    );
    expect(subscriber.results('1')).toEqual([{ data: { scalingEvents: { from: 4, to: 6 } } }]);
    expect(subscriber.results('2')).toEqual([
      { data: { actions: { actor: 'root', action: 'SyncSource', outcome: 'Accepted' } } },
    ]);
    expect(subscriber.results('3')).toMatchObject([{ data: { syncs: { source: 'policies' } } }]);
    await end(subscriber);
  });
});

it('holds are told as they stand, and then as they begin', async () => {
  const begun = jest
    .spyOn(application.nest.get(SourceAccess), 'list')
    .mockReturnValue([aSource(aHold('one'))]);
  try {
    const subscriber = await connectAs('root');
    await subscriber.initialise();
    subscriber.subscribe('1', 'subscription { holds(source: "policies") { digest isRejected } }');
    await soon('the first is told', () => subscriber.results('1').length > 0 || undefined);
    begun.mockReturnValue([aSource({ ...aHold('one'), isRejected: true }, aHold('two'))]);
    await soon('all are told', () => subscriber.results('1').length === 3 || undefined);
    expect(subscriber.results('1')).toEqual([
      { data: { holds: { digest: 'one', isRejected: false } } },
      { data: { holds: { digest: 'one', isRejected: true } } },
      { data: { holds: { digest: 'two', isRejected: false } } },
    ]);
    await end(subscriber);
  } finally {
    begun.mockRestore();
  }
});

const aHold = (digest: string): VisibleSource['holds'][number] => ({
  digest,
  scope: { kind: 'Source' },
  commit: 'a'.repeat(40),
  since: '2026-11-20T12:00:00Z',
  isRejected: false,
  causes: [],
});
const aSource = (...holds: VisibleSource['holds']): VisibleSource => ({
  viewerRoles: ['viewer'],
  partialHolds: [],
  name: 'policies',
  isRetired: false,
  url: '',
  ref: '',
  commit: null,
  holds,
  pin: null,
  released: [],
  lastSync: null,
  staleSince: null,
  unknownApprovers: 'Refused',
});

interface DecisionResult {
  readonly data: { readonly decisions: { readonly reason: string } };
}

describe('a connection', () => {
  it('is of whom its first message says', async () => {
    const subscriber = await connectAs();
    await subscriber.initialise({ authorization: bearer('shopper') });
    expect(subscriber.messages).toEqual([{ type: 'connection_ack' }]);
    await end(subscriber);
  });

  it.each([
    { given: 'nothing', payload: undefined },
    { given: 'null', payload: { authorization: null } },
    { given: 'a wrong token', payload: { authorization: 'Bearer plm_wrong' } },
    { given: 'no text', payload: { authorization: { $ne: 1 } } },
  ])('is closed where its first message says $given', async ({ payload }) => {
    const subscriber = await connectAs();
    await subscriber.initialise(payload);
    expect(await subscriber.whenClosed()).toEqual({ code: 4403, reason: 'Forbidden' });
  });

  it('is refused with a wrong token in its header', async () => {
    await expect(aSubscriber(application.url(), { authorization: 'Bearer plm_wrong' })).rejects.toThrow(
      'refused',
    );
  });

  it('is closed within seconds where it says nothing', async () => {
    const subscriber = await connectAs();
    expect(await subscriber.whenClosed()).toEqual({
      code: 4408,
      reason: 'Connection initialisation timeout',
    });
  });

  it('subscribes to nothing before it is acknowledged', async () => {
    const subscriber = await connectAs();
    subscriber.subscribe('1', decisions);
    expect(await subscriber.whenClosed()).toMatchObject({ code: 4401 });
  });

  it('is closed within seconds where its token is revoked', async () => {
    const creation = `mutation { createToken(name: "live", grants: [{ role: viewer, namespaces: ["*"] }],
      expires: "${new Date(Date.now() + 86_400_000).toISOString()}", reason: "to be revoked") {
      ... on CreatedToken { secret token { id } } } }`;
    const { body } = await application.askAs('root', creation);
    const { secret, token } = (body.data as { createToken: CreatedToken }).createToken;
    const subscriber = await aSubscriber(application.url(), { authorization: `Bearer ${secret}` });
    opened.push(subscriber);
    await subscriber.initialise();
    await application.askAs(
      'root',
      `mutation { revokeToken(id: "${token.id}", reason: "over") { __typename } }`,
    );
    expect(await subscriber.whenClosed()).toEqual({ code: 4401, reason: 'The token is no longer valid' });
  });

  it('is one of few of its person, whichever of its tokens it comes with', async () => {
    const names = ['shopper', 'shopper/ci', 'shopper', 'shopper/ci', 'shopper'];
    const own = await Promise.all(names.map((name) => connectAs(name)));
    const closed = await soon('one is closed', () =>
      own.find((each) => each.closed() !== undefined)?.closed(),
    );
    expect(closed).toEqual({ code: 4429, reason: 'Too many connections' });
    for (const each of own) each.close();
    for (const each of own) await each.whenClosed();
  });

  it('has few subscriptions', async () => {
    const subscriber = await subscriberOf('root');
    for (let id = 2; id <= 21; id += 1) subscriber.subscribe(String(id), decisions);
    const refused = await soon('one is refused', () =>
      subscriber.messages.find(({ type }) => type === 'error'),
    );
    expect(refused).toMatchObject({ id: '21', payload: [{ extensions: { code: 'TooManySubscriptions' } }] });
    await end(subscriber);
  });

  it('is closed where it sends without end', async () => {
    const subscriber = await connectAs('root');
    await subscriber.initialise();
    // A second may end amid what is sent at once, and the next one counts anew.
    const closed = await soon('the connection is closed', () => {
      for (let index = 0; index < 60; index += 1) subscriber.send({ type: 'ping' });
      return subscriber.closed();
    });
    expect(closed).toEqual({ code: 4429, reason: 'Too many messages' });
  });
});

interface CreatedToken {
  readonly secret: string;
  readonly token: { readonly id: string };
}

describe('a document that is no subscription to answer', () => {
  const cases: readonly { readonly name: string; readonly query: unknown; readonly code: string }[] = [
    { name: 'a syntax error', query: 'subscription {', code: 'BadQuery' },
    { name: 'no text', query: 7, code: 'closed' },
    { name: 'an unknown field', query: 'subscription { secrets { id } }', code: 'BadQuery' },
    { name: 'a query', query: '{ fleet { policies } }', code: 'BadQuery' },
    {
      name: 'a mutation',
      query: 'mutation { syncNow(source: "policies") { __typename } }',
      code: 'BadQuery',
    },
    { name: 'two root fields', query: 'subscription { decisions { id } actions { id } }', code: 'BadQuery' },
    {
      name: 'a circle of fragments',
      query: 'subscription { decisions { ...A } } fragment A on Decision { ...A }',
      code: 'BadQuery',
    },
    {
      name: 'thousands of tokens',
      query: `subscription { decisions { ${'id '.repeat(3_000)} } }`,
      code: 'BadQuery',
    },
    {
      name: 'what costs too much',
      query: `subscription { decisions { ${Array.from({ length: 8 }, (_, i) => `a${i}: input`).join(' ')} } }`,
      code: 'QueryTooCostly',
    },
    {
      name: 'a wrong name',
      query: 'subscription { decisions(where: { namespaces: ["\' OR 1=1"] }) { id } }',
      code: 'BadName',
    },
  ];
  it.each(cases)('$name is refused', async ({ query, code }) => {
    const subscriber = await connectAs('root');
    await subscriber.initialise();
    subscriber.send({ type: 'subscribe', id: '1', payload: { query } });
    if (code === 'closed') {
      expect(await subscriber.whenClosed()).toMatchObject({ code: 4400 });
      return;
    }
    const answer = await soon('it is refused', () => subscriber.messages[1]);
    const { payload } = answer as { payload: unknown };
    const errors = Array.isArray(payload) ? payload : (payload as { errors: unknown }).errors;
    expect(errors).toMatchObject([{ extensions: { code } }]);
    expect(JSON.stringify(answer)).not.toMatch(/stack|node_modules|\.ts/);
    await end(subscriber);
  });

  it('over HTTP is told where to ask', async () => {
    const { status, body } = await application.ask(decisions);
    expect({ status, errors: body.errors }).toMatchObject({
      status: 400,
      errors: [
        { message: expect.stringContaining('/graphql/subscriptions'), extensions: { code: 'BadQuery' } },
      ],
    });
  });
});

/** A client that reads nothing, on a connection of its own. */
async function aDeafClient(url: string, authorization: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const head = [
    'GET /graphql/subscriptions HTTP/1.1',
    `Host: ${hostname}:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    'Sec-WebSocket-Protocol: graphql-transport-ws',
    `Authorization: ${authorization}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await answered(socket, '101 Switching Protocols');
  socket.write(frameOf({ type: 'connection_init' }));
  await answered(socket, 'connection_ack');
  const subscription = { query: 'subscription { decisions { reason } }' };
  socket.write(frameOf({ type: 'subscribe', id: '1', payload: subscription }));
  socket.pause();
  return socket;
}

/** Waits until a server has sent a text; what it sent in its place is what fails. */
async function answered(socket: Socket, text: string): Promise<void> {
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString('latin1')).toContain(text);
}

/** A text frame, masked with zeros. */
function frameOf(message: object): Buffer {
  const text = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]);
}

describe('a client that reads nothing', () => {
  it('is cut off and told why, and keeps the others from nothing', async () => {
    const closeSlow = jest.spyOn(SubscriberSocket.prototype, 'closeSlow').mockReturnValue(undefined);
    const quick = await subscriberOf('root');
    const before = listeners();
    const deaf = await aDeafClient(application.url(), bearer('root'));
    const received: Buffer[] = [];
    await soon('it listens', () => listeners() > before || undefined);
    const large = aDecisionDraft({ policy: ofShop, reason: 'x'.repeat(200_000) });
    let recorded = 0;
    while (closeSlow.mock.contexts.length === 0 && recorded < 200) {
      for (let index = 0; index < 10; index += 1) await append(large);
      recorded += 10;
      await soon('the other is told all', () => quick.results('1').length === recorded || undefined);
    }
    const [slow] = closeSlow.mock.contexts as SubscriberSocket[];
    closeSlow.mockRestore();
    deaf.on('data', (chunk: Buffer) => received.push(chunk));
    deaf.resume();
    // Who is closed has two seconds to read all that was sent before, which a busy machine may not give.
    await soon('it has read what was sent', () => slow?.socket.bufferedAmount === 0 || undefined);
    slow?.closeSlow();
    await once(deaf, 'close');
    expect(Buffer.concat(received).toString('latin1')).toContain('Events were not read in time');
    await end(quick);
  });
});

it('an upgrade to something else is answered as any request', async () => {
  const { hostname, port } = new URL(application.url());
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const body = JSON.stringify({ query: '{ fleet { policies } }' });
  const head = [
    'POST /graphql HTTP/1.1',
    `Host: ${hostname}:${port}`,
    'Connection: Upgrade, HTTP2-Settings, close',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABkAAQAAP__',
    `Authorization: ${bearer('root')}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  expect(answer.toString()).toMatch(/^HTTP\/1.1 200[^]*"policies":/);
});
