import { expect, it } from '@jest/globals';
import { GitExit, gitFailure } from './git-failure.ts';

it('tells the lines of what git says apart, where all of it is one line', () => {
  const said =
    'fatal: could not read from remote repository.\n\nPlease make sure you have the\r\n  correct access rights\n';
  expect(gitFailure('fetch', new GitExit(128, said))).toMatchObject({
    code: 'GitFailed',
    message:
      'fetch: git ended with status 128 (fatal: could not read from remote repository.; Please make sure you have the; correct access rights)',
  });
});
