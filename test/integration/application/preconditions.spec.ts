import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Operation, operations } from '#contracts';
import { InterventionLimit } from '../../../apps/controller/src/configuration/intervention-limit.ts';
import { type AnApplication, anApplication } from './an-application.ts';
import { askRest, type RestAnswer, type RestRequest } from './described-rest.ts';

jest.setTimeout(60_000);

const all = Object.values<Operation>(operations);
const readPaths = new Set(all.filter(({ kind }) => kind === 'Read').map(({ path }) => path));
const unread = all.filter(({ kind, path }) => kind === 'Action' && !readPaths.has(path));

const expires = new Date(Date.now() + 3_600_000).toISOString();
const suspension = {
  kind: 'Suspend',
  scope: { kind: 'Cluster' },
  direction: 'Down',
  expires,
  reason: 'a test',
};

const things = [
  { list: '/interventions', made: suspension },
  {
    list: '/tokens',
    made: { name: 'ci', grants: [{ role: 'viewer', namespaces: ['*'] }], expires, reason: 'a test' },
  },
];

describe('what an action is held to', () => {
  let application: AnApplication;
  beforeAll(async () => {
    application = await anApplication();
    await application.nest.init();
  });
  afterAll(() => application.close());

  const ask = (request: RestRequest): Promise<RestAnswer> => askRest(application, request);
  const make = async (list: string, body: object): Promise<string> => {
    const { body: made } = await ask({ method: 'POST', path: list, body });
    return `${list}/${String(made['id'])}`;
  };
  const failed = { status: 412, body: { code: 'PreconditionFailed' } };

  it.each(things)('is the ETag of a read of one of $list', async ({ list, made }) => {
    const path = await make(list, made);
    const { headers, body } = await ask({ path });
    const etag = headers.get('etag') ?? '';
    const end = (given: Readonly<Record<string, string>>): Promise<RestAnswer> =>
      ask({ method: 'DELETE', path: `${path}?reason=over`, headers: given });
    for (const given of [
      { 'if-match': '"another"' },
      { 'if-match': `W/${etag}` },
      { 'if-none-match': etag },
      { 'if-none-match': '*' },
    ])
      expect(await end(given)).toMatchObject(failed);
    expect((await ask({ path })).body).toEqual(body);
    expect(await end({ 'if-match': `"another", ${etag}` })).toMatchObject({ status: 200 });
    const another = await make(list, made);
    expect(
      await ask({ method: 'DELETE', path: `${another}?reason=over`, headers: { 'if-match': '*' } }),
    ).toMatchObject({ status: 200 });
  });

  it('is told where it asks for an end that is too late, with the setting that bounds it', async () => {
    const tooLate = '2999-01-01T00:00:00Z';
    const [suspended, token] = things.map(({ made }) => ({ ...made, expires: tooLate }));
    expect(await ask({ method: 'POST', path: '/interventions', body: suspended! })).toMatchObject({
      status: 400,
      body: {
        code: 'BadExpiry',
        bound: { last: expect.any(String), setting: 'interventions.maximumHours', value: 24 },
      },
    });
    expect(await ask({ method: 'POST', path: '/tokens', body: token! })).toMatchObject({
      status: 400,
      body: {
        code: 'BadExpiry',
        bound: { last: expect.any(String), setting: 'auth.maximumTokenDays', value: 90 },
      },
    });
  });

  it('may last as long as the configuration in force says, which whoever asks is told beforehand', async () => {
    const longest = async (): Promise<unknown> =>
      (await ask({ path: '/fleet' })).body['maximumInterventionHours'];
    const body = { ...suspension, expires: new Date(Date.now() + 30 * 3_600_000).toISOString() };
    expect(await longest()).toBe(24);
    const limit = application.nest.get(InterventionLimit);
    limit.reconfigure({ maximumHours: 48 });
    expect(await longest()).toBe(48);
    const path = await make('/interventions', body);
    expect(await ask({ method: 'DELETE', path: `${path}?reason=over` })).toMatchObject({ status: 200 });
    limit.reconfigure({ maximumHours: 12 });
    expect(await ask({ method: 'POST', path: '/interventions', body })).toMatchObject({
      status: 400,
      body: { bound: { setting: 'interventions.maximumHours', value: 12 } },
    });
    limit.reconfigure({ maximumHours: 24 });
  });

  it.each(things)('is not in the body that ends one of $list', async ({ list, made }) => {
    const path = await make(list, made);
    expect(await ask({ method: 'DELETE', path, body: { reason: 'over' } })).toMatchObject({
      status: 400,
      body: {
        code: 'BadArgument',
        detail:
          'the body is not empty; this operation takes none, and reads reason from the query: ?reason=SENTENCE',
      },
    });
    const ended = await ask({ method: 'DELETE', path: `${path}?reason=over`, body: {} });
    expect(ended).toMatchObject({ status: 200 });
    const sync = { method: 'POST', path: '/sources/policies/sync', body: { reason: 'x' } };
    expect((await ask(sync)).body['detail']).toBe('the body is not empty; this operation takes none');
  });

  it.each(unread)(
    'is nothing that $id could be told by If-Match, which it refuses',
    async ({ method, path }) => {
      for (const tag of ['*', '"a"']) {
        expect(
          await ask({
            method,
            path: path.replaceAll(/\{\w+\}/g, 'x'),
            headers: { 'if-match': tag },
            body: {},
          }),
        ).toMatchObject(failed);
      }
    },
  );

  it('is nothing that a mutation could be told either', async () => {
    const answer = await fetch(`${application.url()}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${application.tokens.admin}`,
        'content-type': 'application/json',
        'if-match': '*',
      },
      body: JSON.stringify({ query: 'mutation { syncNow(source: "policies") { __typename } }' }),
    });
    expect({ status: answer.status, body: await answer.json() }).toMatchObject(failed);
  });
});
