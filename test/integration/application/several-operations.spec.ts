import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(60_000);

let application: AnApplication;

beforeAll(async () => {
  application = await anApplication();
  await application.nest.init();
});
afterAll(() => application.close());

/** As often as it takes until a document would be compiled, and once more. */
const times = 4;

const both = 'query Look { look: __typename } mutation Act { act: __typename }';

interface Asked {
  readonly method: 'GET' | 'POST';
  readonly query: string;
  readonly operationName?: string | undefined;
}

async function ask({ method, query, operationName }: Asked): Promise<{ status: number; body: unknown }> {
  const asked = { query, ...(operationName === undefined ? {} : { operationName }) };
  const path = `/graphql${method === 'GET' ? `?${new URLSearchParams(asked).toString()}` : ''}`;
  const answer = await fetch(`${application.url()}${path}`, {
    method,
    headers: { authorization: `Bearer ${application.tokens.admin}`, 'content-type': 'application/json' },
    ...(method === 'POST' ? { body: JSON.stringify(asked) } : {}),
  });
  return { status: answer.status, body: await answer.json() };
}

const refused = { errors: [expect.objectContaining({ extensions: { code: 'BadQuery' } })] };

describe('a mutation that is not posted', () => {
  it.each(['GET', 'HEAD'])('is not carried out by %s', async (method) => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const query = `mutation { suspendScaling(scope: Cluster, direction: Both, reason: "x", expires: "${expires}") { __typename } }`;
    for (let time = 0; time < times; time += 1) {
      const answer = await fetch(
        `${application.url()}/graphql?${new URLSearchParams({ query }).toString()}`,
        {
          method,
          headers: { authorization: `Bearer ${application.tokens.admin}` },
        },
      );
      expect(answer.status).toBe(405);
    }
    const { body } = await application.ask('{ interventions { id } }');
    expect(body.data).toEqual({ interventions: [] });
  });
});

describe('a document of several operations', () => {
  it('is answered with the operation that is asked for, whichever was asked for before', async () => {
    for (let time = 0; time < times; time += 1) {
      expect(await ask({ method: 'POST', query: both, operationName: 'Act' })).toEqual({
        status: 200,
        body: { data: { act: 'Mutation' } },
      });
    }
    for (const method of ['POST', 'GET'] as const) {
      expect(await ask({ method, query: both, operationName: 'Look' })).toEqual({
        status: 200,
        body: { data: { look: 'Query' } },
      });
    }
    expect((await ask({ method: 'GET', query: both, operationName: 'Act' })).status).toBe(405);
  });

  it.each([
    { name: 'several, and none is named', query: both, operationName: undefined },
    { name: 'none of the name', query: both, operationName: 'Nothing' },
    { name: 'one of another name', query: 'query Only { __typename }', operationName: 'Nothing' },
  ])('is refused where it has $name', async ({ query, operationName }) => {
    for (const method of ['GET', 'POST'] as const) {
      for (let time = 0; time < times; time += 1)
        expect(await ask({ method, query, operationName })).toEqual({ status: 400, body: refused });
    }
    expect(application.log.filter(({ level }) => level >= 50)).toEqual([]);
  });
});
