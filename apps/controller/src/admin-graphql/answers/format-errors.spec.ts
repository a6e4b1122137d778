import { expect, it } from '@jest/globals';
import { GraphQLError } from 'graphql';
import pino from 'pino';
import { unanswered } from '../../auth/callers/refusal-problems.ts';
import { ProblemError } from '../../http/problem-error.ts';
import { presentError } from './format-errors.ts';

it('an action whose caller nobody can tell is refused with a code, and is no error of ours', () => {
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(line) });
  const error = new GraphQLError('it failed', { originalError: new ProblemError(unanswered) });
  const { message, extensions } = presentError(error, logger);
  expect([message, extensions]).toEqual([unanswered.detail, { code: 'Unavailable' }]);
  expect(lines).toEqual([]);
});

it('an error of a request that this process has made is ours, whatever its status', () => {
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(line) });
  const originalError = Object.assign(new Error('secret.internal says no'), { statusCode: 404 });
  const { message, extensions } = presentError(new GraphQLError('it failed', { originalError }), logger);
  expect([message, extensions['code']]).toEqual([expect.stringMatching(/^internal error /), 'InternalError']);
  expect(lines).toHaveLength(1);
});
