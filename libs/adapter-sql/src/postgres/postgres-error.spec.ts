import { expect, it } from '@jest/globals';
import { postgresError } from './postgres-error.ts';

it('says what is to be done where the server asks for a password and there is none', () => {
  const error = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
  expect(postgresError(error, {})).toMatchObject({
    code: 'AccessDenied',
    message: expect.stringMatching(/^PostgreSQL: .*the server asks for a password.*--password-file/),
  });
});
