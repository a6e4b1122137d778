import { expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import { failureText } from './failure-text.ts';

const message = 'PostgreSQL: ECONNREFUSED: connect ECONNREFUSED 10.0.0.7:5432 (database.url)';

it.each([
  {
    name: 'names no address of the database',
    error: new AdapterError({ code: 'ConnectionFailed', message, retryable: true, system: 'Database' }),
    want: 'ConnectionFailed: the database failed: it takes no connections',
  },
  {
    name: 'says what Git says of a repository',
    error: new AdapterError({ code: 'Unreachable', message: 'fetch: no answer', retryable: true }),
    want: 'Unreachable: fetch: no answer',
  },
  { name: 'says that it is a bug', error: new TypeError('x is undefined'), want: 'Bug: x is undefined' },
])('why a look failed $name', ({ error, want }) => {
  expect(failureText(error)).toBe(want);
});
