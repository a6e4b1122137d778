import { beforeEach, expect, it } from '@jest/globals';
import { createRequest, type GraphQLRequest, makeOperation, type OperationResult } from 'urql';
import { isDatabaseAway, noteDatabase, partOf } from './database-outage.ts';

const request: GraphQLRequest = createRequest(
  '{ policy(namespace: "shop", name: "a") { name latestDecision { id } } }',
  {},
);
const operation = makeOperation('query', request, { url: '/graphql', requestPolicy: 'network-only' });
const policy = { name: 'a', latestDecision: null };

interface Given {
  readonly data: unknown;
  readonly path: readonly string[];
  readonly code?: string;
}

function answered({ data, path, code = 'DatabaseUnavailable' }: Given): OperationResult {
  const error = { graphQLErrors: [{ message: 'away', path, extensions: { code } }] };
  return { operation, data, error, stale: false, hasNext: false } as unknown as OperationResult;
}

beforeEach(() => isDatabaseAway.set(false));

it.each([
  {
    name: 'a field of what is there',
    given: { data: { policy }, path: ['policy', 'latestDecision'] },
    want: { policy },
  },
  {
    name: 'a field that is damaged',
    given: { data: { policy }, path: ['policy', 'latestDecision'], code: 'DatabaseCorrupt' },
    want: { policy },
  },
  {
    name: 'what would look as if it were not there',
    given: { data: { policy: null }, path: ['policy', 'latestDecision'] },
  },
  { name: 'everything', given: { data: null, path: ['policy'] } },
  {
    name: 'a field for another reason',
    given: { data: { policy }, path: ['policy', 'latestDecision'], code: 'Forbidden' },
  },
])('of an answer that lacks $name, what it has is shown, or nothing', ({ given, want }) => {
  expect(partOf(answered(given))).toEqual(want);
});

it('is noticed by the code of an error, and not by its end: other answers need no database, and damage does not pass', () => {
  noteDatabase(answered({ data: null, path: ['policy'], code: 'Unavailable' }));
  noteDatabase(answered({ data: null, path: ['policy'], code: 'DatabaseCorrupt' }));
  expect(isDatabaseAway.get()).toBe(false);
  noteDatabase(answered({ data: null, path: ['policy'] }));
  noteDatabase({ operation, data: { policy }, stale: false, hasNext: false });
  expect(isDatabaseAway.get()).toBe(true);
});
