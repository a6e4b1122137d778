import { expect, it } from '@jest/globals';
import { getIntrospectionQuery, parse } from 'graphql';
import { refuseRepeated } from './refuse-repeated.ts';

const many = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');
const spread = (count: number): string =>
  `{ ${many(count, (index) => `...f${index}`)} } ${many(count, (index) => `fragment f${index} on Query { policies { edges { cursor } } }`)}`;

it.each([
  { name: 'the same list', text: `{ ${many(120, () => 'policies { edges { cursor } }')} }` },
  { name: 'the same fragment of a list', text: spread(60) },
  {
    name: 'the same in what is asked of a list',
    text: `{ policies { edges { ${many(120, () => 'node { name }')} } } }`,
  },
  {
    name: 'the same in parts',
    text: `{ ${many(120, () => '... on Query { policies { edges { cursor } } }')} }`,
  },
  { name: 'an alias', text: `{ ${many(120, (index) => `a: f${index}`)} }` },
  {
    name: 'fragments in a circle, twice in each other',
    text: '{ ...a } fragment a on Query { x { ...b } y { ...b } } fragment b on Query { x { ...a } y { ...a } }',
  },
])('refuses $name again and again', ({ text }) => {
  expect(() => refuseRepeated(parse(text))).toThrow('fields of one name are asked for in one place so often');
});

it.each([
  { name: 'as many fields as there are, each once', text: `{ ${many(900, (index) => `f${index}`)} }` },
  { name: 'fragments of 30 components', text: spread(30) },
  { name: 'one name in many places', text: `{ ${many(200, (index) => `a${index}: node { id }`)} }` },
  { name: 'what tools ask of the schema', text: getIntrospectionQuery() },
])('takes $name', ({ text }) => {
  expect(() => refuseRepeated(parse(text))).not.toThrow();
});
