import { expect, it } from '@jest/globals';
import { commitError, postgresError } from './postgres-error.ts';

it('says what is to be done where the server asks for a password and there is none', () => {
  const error = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
  expect(postgresError(error, {})).toMatchObject({
    code: 'AccessDenied',
    message: expect.stringMatching(/^PostgreSQL: .*the server asks for a password.*--password-file/),
  });
});

it.each([
  { state: '25P03', text: 'terminating connection due to idle-in-transaction timeout', code: 'Timeout' },
  { state: '25P04', text: 'terminating connection due to transaction timeout', code: 'Timeout' },
  { state: '53300', text: 'sorry, too many clients already', code: 'ConnectionFailed' },
  {
    state: '55000',
    text: 'database "plimsoll" is not currently accepting connections',
    code: 'ConnectionFailed',
  },
])('takes $state for what passes', ({ state, text, code }) => {
  const error = Object.assign(new Error(text), { code: state });
  expect(postgresError(error, {})).toMatchObject({ code, retryable: true });
});

it.each([
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'There was an error establishing an SSL connection',
])('takes what the driver says without a code for a connection that may be made later: %s', (text) => {
  expect(postgresError(new Error(text), {})).toMatchObject({ code: 'ConnectionFailed', retryable: true });
});

it('takes a transaction that the server has ended at its COMMIT for one that was not committed', () => {
  const error = Object.assign(new Error('terminating connection'), { code: '25P03' });
  expect(commitError(error, postgresError(error, {}))).toMatchObject({ code: 'Timeout' });
});
