import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AnApplication, anApplication } from '../integration/application/an-application.ts';

describe("a viewer's hostile queries", () => {
  let application: AnApplication;
  beforeAll(async () => {
    application = await anApplication();
    await application.nest.init();
  });
  afterAll(() => application.close());

  const names = (count: number, field: string): string =>
    Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ');

  it.each([
    {
      name: 'aliases over inputs',
      query: `{ ${names(60, 'decisions(first: 100) { edges { node { input } } }')} }`,
      code: 'QueryTooCostly',
    },
    {
      name: 'pages in pages',
      query:
        '{ policies(first: 100) { edges { node { decisions(first: 100) { edges { node { input } } } } } } }',
      code: 'QueryTooCostly',
    },
    {
      name: 'fragments that double each other',
      query: `{ ...f0 } ${Array.from({ length: 30 }, (_, index) => `fragment f${index} on Query { ...f${index + 1} x${index}: __typename ...f${index + 1} }`).join(' ')} fragment f30 on Query { policies { edges { cursor } } }`,
      code: 'QueryTooCostly',
    },
    { name: 'one field a thousand times', query: `{ ${'__typename '.repeat(900)} }`, code: 'BadQuery' },
    {
      name: 'one field a hundred thousand times',
      query: `{ ${'__typename '.repeat(20_000)} }`,
      code: 'BadQuery',
    },
    { name: 'braces without end', query: '{a'.repeat(100_000), code: 'BadQuery' },
  ])('$name: $code', async ({ query, code }) => {
    const { body } = await application.ask(query, 'viewer');
    expect(body.errors?.[0]?.extensions.code).toBe(code);
  });
});
