import { describe, expect, it } from '@jest/globals';
import { createRequest, makeErrorResult, makeOperation, type OperationResult } from 'urql';
import { problemOf } from './problem.ts';
import { readableAnswer } from './readable-answer.ts';

const request = createRequest('query { policies { totalCount } held: fleet { holds } }', {});
const operation = makeOperation('query', request, { url: '/graphql', requestPolicy: 'network-only' });

function answered(data: unknown): OperationResult<unknown> {
  return { operation, data, stale: false, hasNext: false };
}

describe('an answer that is not what was asked for', () => {
  it.each([
    { data: null },
    { data: 'hello' },
    { data: [] },
    { data: {} },
    { data: { policies: null } },
    { data: { policies: {}, fleet: {} } },
  ])('is a problem: $data', ({ data }) => {
    const { error, ...left } = readableAnswer(answered(data));
    expect(left).toMatchObject({ data: undefined });
    expect(error === undefined ? undefined : problemOf(error).kind).toBe('Unreachable');
  });

  it('is none where every field is there', () => {
    const result = answered({ policies: { totalCount: 3 }, held: null });
    expect(readableAnswer(result)).toBe(result);
  });

  it('that has an error stays as it is', () => {
    const result = makeErrorResult(operation, new Error('gone'));
    expect(readableAnswer(result)).toBe(result);
  });
});
