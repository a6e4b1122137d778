import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { serverAudits } from 'graphql-http';
import { type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(60_000);

let application: AnApplication;

beforeAll(async () => {
  application = await anApplication();
  await application.nest.init();
});
afterAll(() => application.close());

const authorised: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${application.tokens.viewer}`);
  return fetch(input, { ...init, headers });
};

const audits = serverAudits({ url: () => `${application.url()}/graphql`, fetchFn: authorised });

describe('GraphQL over HTTP', () => {
  it.each(audits.map((audit) => ({ title: `${audit.id}: ${audit.name}`, audit })))(
    '$title',
    async ({ audit }) => {
      expect(await audit.fn()).toEqual(expect.objectContaining({ status: 'ok' }));
    },
  );

  const refused = { method: 'POST', body: JSON.stringify({ query: '{ nope }' }) };

  it.each([
    { accept: '*/*', type: 'application/json', status: 400 },
    { accept: 'application/json', type: 'application/json', status: 200 },
    { accept: 'application/json, */*;q=0.5', type: 'application/json', status: 200 },
    { accept: 'text/html', type: 'application/json', status: 400 },
    {
      accept: 'application/graphql-response+json, application/json;q=0.9',
      type: 'application/graphql-response+json',
      status: 400,
    },
  ])('refuses a caller that accepts $accept with $status', async ({ accept, type, status }) => {
    const headers = { accept, 'content-type': 'application/json' };
    const answer = await authorised(`${application.url()}/graphql`, { ...refused, headers });
    expect({ status: answer.status, type: answer.headers.get('content-type') }).toEqual({
      status,
      type: `${type}; charset=utf-8`,
    });
    expect(Object.keys((await answer.json()) as object)).toEqual(['errors']);
  });
});
