import { expect, it } from '@jest/globals';
import { GraphQLError } from 'graphql';
import pino from 'pino';
import { unanswered } from '../auth/refusal-problems.ts';
import { ProblemError } from '../http/problem-error.ts';
import { presentError } from './format-errors.ts';

it('an action whose caller nobody can tell is refused with a code, and is no error of ours', () => {
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(line) });
  const error = new GraphQLError('it failed', { originalError: new ProblemError(unanswered) });
  const { message, extensions } = presentError(error, logger);
  expect([message, extensions]).toEqual([unanswered.detail, { code: 'Unavailable' }]);
  expect(lines).toEqual([]);
});
