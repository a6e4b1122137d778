import { describe, expect, it } from '@jest/globals';
import { createRequest, makeErrorResult, makeOperation, type OperationResult } from 'urql';
import { problemOf } from './problem.ts';
import { readableAnswer } from './readable-answer.ts';

const document = `
  query {
    held: policies(first: 2) { edges { node { name document states staleSince @include(if: false) ...Replicas } } }
    node(id: "1") { __typename id ... on ScalingEvent { from origin } ...OfAnyEntry }
  }
  fragment Replicas on Policy { recentReplicas }
  fragment OfAnyEntry on AuditEntry { time }`;
const operation = makeOperation('query', createRequest(document, {}), {
  url: '/graphql',
  requestPolicy: 'network-only',
});

function answered(data: unknown): OperationResult<unknown> {
  return { operation, data, stale: false, hasNext: false };
}

const policy = { name: 'checkout', document: { spec: ['any'] }, states: ['Held'], recentReplicas: [4, null] };
const node = {
  __typename: 'ScalingEvent',
  id: '1',
  from: 4,
  origin: 'Plimsoll',
  time: '2026-11-27T03:12:00Z',
};
const whole = { held: { edges: [{ node: policy }] }, node };

/** The whole answer with another policy in it. */
function withPolicy(change: object): unknown {
  return { ...whole, held: { edges: [{ node: policy }, { node: { ...policy, ...change } }] } };
}

describe('an answer that is not what was asked for', () => {
  it.each([
    { data: null, at: '' },
    { data: 'hello', at: '' },
    { data: [], at: '' },
    { data: {}, at: 'held' },
    { data: { policies: {}, node }, at: 'held' },
    { data: { ...whole, held: null }, at: 'held' },
    { data: { ...whole, held: { edges: {} } }, at: 'held.edges' },
    { data: { ...whole, held: { edges: [null] } }, at: 'held.edges.0' },
    { data: { ...whole, held: { edges: [[]] } }, at: 'held.edges.0' },
    { data: { ...whole, held: { edges: [{ node: 'x' }] } }, at: 'held.edges.0.node' },
    { data: withPolicy({ name: null }), at: 'held.edges.1.node.name' },
    { data: withPolicy({ name: 7 }), at: 'held.edges.1.node.name' },
    { data: withPolicy({ name: undefined }), at: 'held.edges.1.node.name' },
    { data: withPolicy({ states: ['Asleep'] }), at: 'held.edges.1.node.states.0' },
    { data: withPolicy({ recentReplicas: [4, '4'] }), at: 'held.edges.1.node.recentReplicas.1' },
    { data: { ...whole, node: { ...node, __typename: 'Hello' } }, at: 'node.__typename' },
    { data: { ...whole, node: { ...node, __typename: undefined } }, at: 'node.__typename' },
    { data: { ...whole, node: { ...node, from: true } }, at: 'node.from' },
    { data: { ...whole, node: { ...node, origin: 'Elsewhere' } }, at: 'node.origin' },
    { data: { ...whole, node: { ...node, time: 0 } }, at: 'node.time' },
  ])('is a problem that names the place: $at', ({ data, at }) => {
    const { error, ...left } = readableAnswer(answered(data));
    expect(left).toMatchObject({ data: undefined });
    const problem = error === undefined ? undefined : problemOf(error);
    expect(problem?.kind).toBe('Unreachable');
    expect(problem?.message).toContain(at === '' ? 'could not be read' : `(${at})`);
  });

  it.each([
    { name: 'whole', data: whole },
    { name: 'of nothing', data: { held: { edges: [] }, node: null } },
    { name: 'of JSON, whatever it is', data: withPolicy({ document: 'any' }) },
    { name: 'of a condition that holds', data: withPolicy({ staleSince: null }) },
    { name: 'of another type', data: { ...whole, node: { __typename: 'Decision', id: '1', time: 'x' } } },
    { name: 'of a type without those fields', data: { ...whole, node: { __typename: 'Policy', id: '1' } } },
  ])('is none: $name', ({ data }) => {
    const result = answered(data);
    expect(readableAnswer(result)).toBe(result);
  });

  it('that has an error stays as it is', () => {
    const result = makeErrorResult(operation, new Error('gone'));
    expect(readableAnswer(result)).toBe(result);
  });
});
