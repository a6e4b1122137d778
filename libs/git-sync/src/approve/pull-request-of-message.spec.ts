import { describe, expect, it } from '@jest/globals';
import { pullRequestOfMessage } from './pull-request-of-message.ts';

describe('pullRequestOfMessage', () => {
  it.each([
    { name: 'a merge of GitHub', message: 'Merge pull request #12 from ada/limits\n\nRaise', number: 12 },
    { name: 'a squash', message: 'Raise the limits (#34)\n\n* one\n* two', number: 34 },
    { name: 'a revert of a squash', message: 'Revert "Raise (#34)" (#35)', number: 35 },
    {
      name: 'a merge of GitLab',
      message: "Merge branch 'x' into 'main'\n\nSee merge request a/b!7",
      number: 7,
    },
    { name: 'a merge of Gitea', message: "Merge pull request 'Raise' (#8) from x into main", number: 8 },
    { name: 'a merge of Bitbucket', message: 'Merged in x (pull request #9)\n\nRaise', number: 9 },
    {
      name: 'a squash of Gitea',
      message: 'Raise\n\nReviewed-on: https://git.example.com/a/b/pulls/5',
      number: 5,
    },
  ])('reads the number of $name', ({ message, number }) => {
    expect(pullRequestOfMessage(message)).toEqual({ number, author: null, approvers: [], verified: false });
  });

  it('reads reviewers, each once', () => {
    const message =
      'Raise (#1)\n\nReviewed-by: Ada <ada@example.com>\nreviewed-by: Ada <ada@example.com>\nApproved-by: Bo';
    expect(pullRequestOfMessage(message)?.approvers).toEqual(['Ada <ada@example.com>', 'Bo']);
  });

  it.each([
    '',
    'Raise the limits',
    'Fixes #12',
    'See #12 (not a squash (#12) at all)',
    'Reviewed-by:',
    'Raise (#1234567890)',
  ])('finds nothing in %p', (message) => {
    expect(pullRequestOfMessage(message)).toBeNull();
  });

  it('is bounded', () => {
    const message = Array.from(
      { length: 1_000 },
      (_, index) => `Reviewed-by: ${index}${'x'.repeat(999)}`,
    ).join('\n');
    const approvers = pullRequestOfMessage(message)?.approvers ?? [];
    expect(approvers).toHaveLength(20);
    expect(Math.max(...approvers.map((name) => name.length))).toBe(200);
  });
});
