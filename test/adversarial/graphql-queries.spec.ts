import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
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
    {
      name: 'all that the schema says of itself, again and again',
      query: `{ __schema { ${names(40, 'types { fields { name args { name type { name } } } }')} } }`,
      code: 'QueryTooCostly',
    },
    {
      name: 'types of fields of types of fields',
      query: `{ __schema { types { ${'fields { type { '.repeat(4)} name ${'} }'.repeat(4)} } } }`,
      code: 'BadQuery',
    },
    {
      name: 'fields in fields, beside the schema',
      query: `{ __typename ${'policies { edges { node { decisions { edges { node { '.repeat(3)} id ${'} } } } } }'.repeat(3)} }`,
      code: 'BadQuery',
    },
    {
      name: 'one list as often as tokens allow, which would be compared with each other',
      query: `{ ${'policies { edges { node { name } } } '.repeat(120)} }`,
      code: 'BadQuery',
    },
    { name: 'braces without end', query: '{a'.repeat(100_000), code: 'BadQuery' },
  ])('$name: $code', async ({ query, code }) => {
    const { body } = await application.ask(query, 'viewer');
    expect(body.errors?.[0]?.extensions.code).toBe(code);
  });

  it('are told from what tools ask of the schema, which is answered', async () => {
    const query = getIntrospectionQuery({ schemaDescription: true, inputValueDeprecation: true });
    const { body } = await application.ask(query, 'viewer');
    expect(body).toMatchObject({ data: { __schema: { queryType: { name: 'Query' } } } });
  });
});
