import { expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import { refusalProblem } from './problem.filter.ts';
import { mayBeDone } from './problem.ts';

it.each([
  { code: 'OutcomeUnknown', want: { status: 503, code: 'OutcomeUnknown' } },
  { code: 'ConnectionFailed', want: { status: 503, code: 'Unavailable' } },
])('says of what ended with $code whether it may have been carried out', ({ code, want }) => {
  const error = new AdapterError({ code, message: 'connection reset', retryable: true });
  expect(refusalProblem(error)).toMatchObject(want);
});

const key = { 'idempotency-key': 'k-1' };

it.each([
  { method: 'POST', headers: {}, code: 'OutcomeUnknown', want: true },
  { method: 'DELETE', headers: {}, code: 'DeadlineExceeded', want: true },
  { method: 'POST', headers: key, code: 'OutcomeUnknown', want: false },
  { method: 'GET', headers: {}, code: 'DeadlineExceeded', want: false },
  { method: 'POST', headers: {}, code: 'Unavailable', want: false },
])(
  'invites no repetition of a $method with $code that could be a second one: $want',
  ({ method, headers, code, want }) => {
    expect(mayBeDone({ method, headers }, { code })).toBe(want);
  },
);
