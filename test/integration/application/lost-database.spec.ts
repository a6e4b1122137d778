import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(60_000);

describe('a PostgreSQL that goes away while the API answers', () => {
  let postgres: TestPostgres;
  let application: AnApplication;
  beforeAll(async () => {
    postgres = await startPostgres();
    const url = await postgres.createDatabase('lost');
    application = await anApplication({ configuration: { database: { url } } });
    await application.nest.init();
    await postgres.crash();
  });
  afterAll(async () => {
    await application.close();
    await postgres.stop();
  });

  const lists = '{ decisions { edges { cursor } } auditEntries { edges { cursor } } }';
  const suspends = `mutation { suspendScaling(scope: Cluster, direction: Up, reason: "a test",
    expires: "${new Date(Date.now() + 3_600_000).toISOString()}") { __typename } }`;
  const byGraphql = (query: string) => ({ path: '/graphql', body: JSON.stringify({ query }) });

  it.each([
    { name: 'lists, by GraphQL', asked: byGraphql(lists) },
    { name: 'an action, by GraphQL', asked: byGraphql(suspends) },
    { name: 'lists, by REST', asked: { path: '/api/v1/decisions' } },
  ])('answers $name with 503, and when to ask again; it is no error of ours', async ({ asked }) => {
    const { path, body }: { readonly path: string; readonly body?: string } = asked;
    const answer = await fetch(`${application.url()}${path}`, {
      headers: {
        authorization: `Bearer ${application.tokens.admin}`,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { method: 'POST', body }),
    });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
    const text = await answer.text();
    expect(text).toContain('"code":"DatabaseUnavailable"');
    expect(text).toMatch(/the database cannot be reached since 20[\dT:-]+Z \(it takes no connections\)/);
    expect(text).not.toContain('ECONN');
    expect(application.log.filter(({ level }) => level >= 50)).toEqual([]);
  });

  it('answers what it has in memory, and all of it once the database is back', async () => {
    expect((await application.ask('{ sources { name } }')).body).toEqual({
      data: { sources: [{ name: 'policies' }] },
    });
    await postgres.restart();
    expect((await application.ask(lists)).body.errors).toBeUndefined();
  });
});
