import { expect, it } from '@jest/globals';
import { type FieldNode, type FragmentDefinitionNode, Kind, parse } from 'graphql';
import { asksForSummaries, asksForSummary } from './asks-for-summaries.ts';

/** What the executor says of the first field of a query, and of those that are merged with it. */
function askedIn(text: string): Parameters<typeof asksForSummaries>[0] {
  const { definitions } = parse(text);
  const fragments = definitions.filter(
    (each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION,
  );
  const fieldNodes = definitions
    .flatMap((each) => (each.kind === Kind.OPERATION_DEFINITION ? each.selectionSet.selections : []))
    .filter((selection): selection is FieldNode => selection.kind === Kind.FIELD);
  return { fieldNodes, fragments: Object.fromEntries(fragments.map((each) => [each.name.value, each])) };
}

const manySpreads = Array.from(
  { length: 60 },
  (_, index) => `fragment f${index} on Decision { ...f${index + 1} ... { ...f${index + 1} } }`,
).join(' ');

it.each([
  {
    name: 'everything that a summary has',
    text: '{ decisions { edges { node { id kind time cluster hash previousHash policy { name namespace } action reason currentReplicas desiredReplicas __typename } } } }',
  },
  { name: 'places alone', text: '{ decisions { edges { cursor } pageInfo { endCursor } } }' },
  { name: 'fields under other names', text: '{ decisions { edges { node { why: reason } } } }' },
  {
    name: 'fragments at each level',
    text: `{ decisions { ...page } } fragment page on DecisionConnection { edges { ...edge } }
      fragment edge on DecisionEdge { node { ... on AuditEntry { id } ...outcome } } fragment outcome on Decision { reason }`,
  },
  {
    name: 'fragments in fragments so often that following each would never end',
    text: `{ decisions { edges { node { ...f0 } } } } ${manySpreads} fragment f60 on Decision { reason }`,
  },
])('is so where a query asks for $name', ({ text }) => {
  expect(asksForSummaries(askedIn(text))).toBe(true);
});

it.each([
  {
    name: 'a field that only the payload has',
    text: '{ decisions { edges { node { id steps { rule } } } } }',
  },
  {
    name: 'it under the name of another',
    text: '{ decisions { edges { node { reason: engineVersion } } } }',
  },
  {
    name: 'it on a condition',
    text: 'query ($a: Boolean!) { decisions { edges { node { input @include(if: $a) } } } }',
  },
  {
    name: 'it in a fragment',
    text: `{ decisions { edges { node { ...f0 } } } } ${manySpreads} fragment f60 on Decision { ... on Decision { commit { hash } } }`,
  },
  {
    name: 'it where the list is asked for a second time',
    text: '{ decisions { edges { node { id } } } decisions { edges { node { metrics { name } } } } }',
  },
  {
    name: 'it where the items are asked for a second time',
    text: '{ decisions { edges { node { id } } edges { node { blame { commit { hash } } } } } }',
  },
])('is not so where a query asks for $name', ({ text }) => {
  expect(asksForSummaries(askedIn(text))).toBe(false);
});

it.each([
  {
    text: '{ decision(id: "a") { id time action ...outcome } } fragment outcome on Decision { reason }',
    isSo: true,
  },
  { text: '{ decision(id: "a") { id ... on Decision { commit { hash } } } }', isSo: false },
])('is $isSo of one decision where it is asked for by $text', ({ text, isSo }) => {
  expect(asksForSummary(askedIn(text))).toBe(isSo);
});
