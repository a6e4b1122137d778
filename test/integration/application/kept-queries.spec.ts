import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(60_000);

let application: AnApplication;

beforeAll(async () => {
  application = await anApplication();
  await application.nest.init();
});
afterAll(() => application.close());

/** As long as a query may be that nothing else refuses. */
function longQuery(index: number): string {
  const fields = Array.from({ length: 400 }, (_, field) => `a${index}_${field}: __typename`);
  return `{ ${fields.join(' ')} }`;
}

it('what the server keeps of queries that each differ is dropped before it fills the memory', async () => {
  const { graphql } = application.nest.getHttpAdapter().getInstance();
  const dropped = jest.spyOn(graphql, 'replaceSchema');
  const queries = Array.from({ length: 40 }, (_, index) => longQuery(index));
  for (const query of queries) {
    const { body } = await application.ask(query);
    expect(body.data).toMatchObject({ [`a${queries.indexOf(query)}_399`]: 'Query' });
  }
  const characters = queries.reduce((sum, { length }) => sum + length, 0);
  expect(dropped).toHaveBeenCalledTimes(Math.floor(characters / (128 * 1024)));
});
