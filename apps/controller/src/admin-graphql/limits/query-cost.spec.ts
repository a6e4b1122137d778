import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { buildSchema, parse } from 'graphql';
import { queryCost } from './query-cost.ts';
import { maximumQueryCost, refuseCostly } from './refuse-costly.ts';

const schema = buildSchema(
  readFileSync(join(import.meta.dirname, '..', '..', '..', '..', '..', 'schema.graphql'), 'utf8'),
);

function costOf(text: string, variables: Readonly<Record<string, unknown>> = {}): number {
  return queryCost({ schema, document: parse(text), variables }).cost;
}

const aliases = (count: number, field: string): string =>
  `{ ${Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ')} }`;

describe('queryCost', () => {
  it.each([
    { name: 'a field', text: '{ __typename }', want: 1 },
    {
      name: 'a page by its size',
      text: '{ policies(first: 3) { edges { node { name } } } }',
      want: 1 + 3 * 3 - 0,
    },
    {
      name: 'a page without a size by its default',
      text: '{ policies { edges { cursor } } }',
      want: 1 + 20 * 2,
    },
    {
      name: 'a decision beside its fields',
      text: '{ decisions(first: 2) { edges { node { id } } } }',
      want: 1 + 2 * (1 + 1 + 40 + 1),
    },
    {
      name: 'a fragment where it is spread',
      text: '{ policies(first: 2) { edges { node { ...f } } } } fragment f on Policy { name namespace }',
      want: 1 + 2 * (1 + 1 + 2),
    },
  ])('counts $name', ({ text, want }) => {
    expect(costOf(text)).toBe(want);
  });

  it('takes page sizes from variables and from their defaults', () => {
    const text = 'query ($n: Int = 100) { policies(first: $n) { edges { cursor } } }';
    expect([costOf(text), costOf(text, { n: 5 })]).toEqual([201, 11]);
  });

  it.each([
    {
      name: 'a page without a size',
      text: 'query ($a: String) { policies(after: $a) { edges { cursor } } }',
      want: true,
    },
    {
      name: 'a page of a size',
      text: 'query ($n: Int) { policies(first: $n) { edges { cursor } } }',
      want: false,
    },
  ])('says whether $name costs the same in every call', ({ text, want }) => {
    expect(queryCost({ schema, document: parse(text), variables: {} }).isOfEveryCall).toBe(want);
  });

  it.each([
    { name: 'inputs of a page', text: '{ decisions(first: 100) { edges { node { input } } } }' },
    {
      name: 'pages in a page',
      text: '{ policies(first: 100) { edges { node { decisions(first: 100) { edges { node { id } } } } } } }',
    },
    {
      name: 'one page under many names',
      text: aliases(30, 'decisions(first: 100) { edges { node { id } } }'),
    },
    { name: 'inputs under many names', text: aliases(7, 'decision(id: "x") { input }') },
    { name: 'the whole fleet under many names', text: aliases(50, 'fleet { policies }') },
    {
      name: 'policies of a state under many names',
      text: aliases(50, 'policies(first: 1, states: [Held]) { edges { cursor } }'),
    },
    {
      name: 'ways out under many names',
      text: aliases(50, 'leavingPolicies(first: 1, to: None) { edges { cursor } }'),
    },
    {
      name: 'actions under many names',
      text: `mutation ${aliases(26, 'endSuspension(id: "x", dryRun: true) { __typename }')}`,
    },
    {
      name: 'flapping policies of many times',
      text: aliases(3, 'flappingPolicies(from: "2027-03-01T00:00:00Z") { isComplete }'),
    },
    {
      name: 'fragments that double each other',
      text: `{ ...f0 } ${Array.from({ length: 40 }, (_, index) => `fragment f${index} on Query { ...f${index + 1} ...f${index + 1} }`).join(' ')} fragment f40 on Query { policies { edges { cursor } } }`,
    },
  ])('is above the bound for $name', ({ text }) => {
    expect(costOf(text)).toBeGreaterThan(maximumQueryCost);
  });

  it.each([
    {
      name: 'what a console shows of policies',
      text: '{ policies(first: 100) { edges { node { id namespace name kind enabled dryRun minReplicas maxReplicas status { outcome reason message time replicas } origin { source file line commit { hash subject author time pullRequest { number author approvers } } } latestDecision { id action reason desiredReplicas commit { hash subject } } } } pageInfo { hasNextPage endCursor } } }',
    },
    {
      name: 'a page of decisions with their steps',
      text: '{ decisions(first: 100) { edges { node { id time action currentReplicas desiredReplicas reason steps { rule before after because } commit { hash subject } } } } }',
    },
    {
      name: 'one decision with everything',
      text: '{ decision(id: "x") { id input steps { rule because } metrics { name current target pods { considered ready missing filteredOut { pod reason } } } } }',
    },
  ])('has room for $name', ({ text }) => {
    expect(costOf(text)).toBeLessThanOrEqual(maximumQueryCost);
  });

  it('counts sources by their number, whatever was asked before', () => {
    const document = parse('{ sources { name holds { digest } } }');
    const costAt = (count: number) =>
      queryCost({ schema, document, variables: {}, lengths: { 'Query.sources': count } });
    expect(costAt(1)).toEqual({ cost: 1 + 1 * (1 + 1 + 10), isOfEveryCall: false });
    expect(costAt(100)).toEqual({ cost: 1 + 100 * (1 + 1 + 10), isOfEveryCall: false });
  });

  it('refuses what 100 sources make of a query that ten have room for', () => {
    const document = parse('{ sources { revisions(first: 100) { message commit { hash subject } } } }');
    const refuseAt = (count: number) => () =>
      refuseCostly({ schema, document, variables: {}, lengths: { 'Query.sources': count } });
    expect(refuseAt(10)).not.toThrow();
    expect(refuseAt(100)).toThrow(/may cost/);
    expect(refuseAt(10)).not.toThrow();
  });
});
