import { expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import { DatabaseReach } from '../database/database-away.ts';
import { mayBeDone } from '../http/problem.ts';
import { refusalProblem } from './problem.filter.ts';

it.each([
  { code: 'OutcomeUnknown', want: { status: 503, code: 'OutcomeUnknown' } },
  { code: 'ConnectionFailed', want: { status: 503, code: 'Unavailable' } },
])('says of what ended with $code whether it may have been carried out', ({ code, want }) => {
  const error = new AdapterError({ code, message: 'connection reset', retryable: true });
  expect(refusalProblem(error)).toMatchObject(want);
});

it('says since when the database is not reached, what goes on, and no address', async () => {
  const reach = new DatabaseReach({ now: () => '2026-11-20T12:00:00.123Z', elapsed: () => 0 });
  const message = 'PostgreSQL: connect ECONNREFUSED 10.0.0.5:5432';
  const refused = new AdapterError({
    code: 'ConnectionFailed',
    message,
    retryable: true,
    system: 'Database',
  });
  const error: unknown = await reach.during(() => Promise.reject(refused)).catch((each: unknown) => each);
  const detail =
    'the database cannot be reached since 2026-11-20T12:00:00Z (it takes no connections): what is recorded in it can be neither read nor added to; policies in force are decided from memory, and nothing is scaled, until it is back, which is noticed within seconds';
  expect(refusalProblem(error)).toEqual({ status: 503, code: 'DatabaseUnavailable', detail });
});

it('says of a database that is reached, and could not do one thing, why', () => {
  const error = new AdapterError({
    code: 'DatabaseFull',
    message: 'full',
    retryable: true,
    system: 'Database',
  });
  const detail = 'the database could not answer this: its disk is full; ask again once it can';
  expect(refusalProblem(error)).toEqual({ status: 503, code: 'DatabaseUnavailable', detail });
});

it('says of damage, whoever notices it, that it does not pass, what to do about it, and no file', () => {
  const message = '/var/lib/plimsoll/ledger.db is corrupt';
  const error = new AdapterError({ code: 'DatabaseCorrupt', message, retryable: false, system: 'Database' });
  const { detail, ...problem } = refusalProblem(error) ?? {};
  expect(problem).toEqual({ status: 503, code: 'DatabaseCorrupt' });
  expect(detail).toMatch(/does not come back by itself.* restore a backup/);
  expect(detail).not.toContain('ledger.db');
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
