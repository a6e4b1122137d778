import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { BatchedLedger } from '../../../apps/controller/src/admin/history/batched-ledger.ts';
import { KnownQueries } from '../../../apps/controller/src/admin-graphql/documents/known-queries.ts';
import { soon } from '../../e2e/support/soon.ts';
import { aSubscriber } from '../../support/graphql-subscriber.ts';
import { type AnApplication, anApplication, codesOf } from './an-application.ts';

jest.setTimeout(60_000);

const known = '{ fleet { policies } }';
const slow = '{ decisions(first: 1) { edges { node { id } } } }';
/** The mutation is not what is asked for. */
const slowBesideMutation = `query Q ${slow} mutation M { syncNow(source: "policies") { __typename } }`;
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const never = new Promise<never>(() => undefined);

describe('a controller that answers known queries only', () => {
  let application: AnApplication;
  beforeAll(async () => {
    application = await anApplication({
      configuration: (folder: string) => {
        const knownQueriesFile = join(folder, 'queries.json');
        writeFileSync(knownQueriesFile, JSON.stringify([known, slow, slowBesideMutation]));
        return { graphql: { queries: 'Known', knownQueriesFile, timeoutSeconds: 1 } };
      },
      override: (testing) =>
        testing.overrideProvider(BatchedLedger).useValue({
          entries: () => never,
          decisionSummaries: () => never,
          decisionSummaryAt: () => never,
          entry: () => never,
        }),
    });
    await application.nest.init();
  });
  afterAll(() => application.close());

  it('answers one by its text and by its hash, from the first time on', async () => {
    expect((await application.ask(known)).body).toEqual({ data: { fleet: { policies: 0 } } });
    const response = await fetch(`${application.url()}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${application.tokens.viewer}`,
      },
      body: JSON.stringify({
        extensions: { persistedQuery: { version: 1, sha256Hash: hashOf(known) } },
      }),
    });
    expect(await response.json()).toEqual({ data: { fleet: { policies: 0 } } });
  });

  it('answers no other, whether it is valid or not', async () => {
    for (const text of ['{ fleet { holds } }', '{ fleet', ` ${known}`]) {
      const answer = await application.ask(text);
      expect([answer.status, codesOf(answer)]).toEqual([400, ['UnknownQuery']]);
    }
  });

  it('has no GraphiQL', async () => {
    for (const path of ['/graphiql', '/graphiql/assets/graphiql.js']) {
      const answer = await fetch(`${application.url()}${path}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        404,
        expect.stringContaining('problem+json'),
      ]);
    }
  });

  it('opens no other subscription', async () => {
    const subscriber = await aSubscriber(application.url(), {
      authorization: `Bearer ${application.tokens.viewer}`,
    });
    await subscriber.initialise();
    subscriber.subscribe('a', 'subscription { decisions { id } }');
    const refusal = await soon('the refusal', () =>
      Promise.resolve(subscriber.messages.find(({ type }) => type === 'error')),
    );
    expect(refusal).toMatchObject({ id: 'a', payload: [{ extensions: { code: 'UnknownQuery' } }] });
    subscriber.close();
  });

  it.each([
    { name: 'a query', body: { query: slow } },
    { name: 'a query beside a mutation', body: { query: slowBesideMutation, operationName: 'Q' } },
  ])('gives up $name that takes longer than it may', async ({ body }) => {
    const response = await fetch(`${application.url()}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${application.tokens.viewer}`,
      },
      body: JSON.stringify(body),
    });
    expect([response.status, await response.json()]).toEqual([
      503,
      {
        errors: [
          {
            message: 'it took longer than 1 s: ask for less at once',
            extensions: { code: 'DeadlineExceeded' },
          },
        ],
      },
    ]);
    expect((await application.ask(known)).status).toBe(200);
    expect(application.log.filter(({ level }) => level >= 50)).toEqual([]);
  });
});

it('does not start with a list of queries that cannot be read', () => {
  const knownQueriesFile = '/nowhere/queries.json';
  expect(() => new KnownQueries({ queries: 'Known', knownQueriesFile })).toThrow(
    `graphql.knownQueriesFile ${knownQueriesFile} cannot be read`,
  );
});
