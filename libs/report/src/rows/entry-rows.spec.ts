import { describe, expect, it } from '@jest/globals';
import { rowContent } from './entry-rows.ts';

describe('the row of an operator’s action', () => {
  it.each([
    { name: 'a source that was resumed', given: { source: 'policies', policy: null }, want: 'ResumeSource' },
    {
      name: 'a policy that was resumed',
      given: { source: 'policies', policy: 'shop/checkout' },
      want: 'ResumePolicy',
    },
  ])('names $name by what was done', ({ given, want }) => {
    const payload = {
      actor: 'bo',
      action: 'ResumeSource',
      outcome: 'Accepted',
      reason: null,
      arguments: given,
    };
    expect(rowContent('OperatorAction', payload)?.action).toBe(want);
  });
});

describe('the row of what a forge says of a commit', () => {
  it.each([
    { number: 12, approvers: ['cleo'], want: ['Approved', '#12'] },
    { number: 12, approvers: [], want: ['NotApproved', '#12'] },
    { number: null, approvers: [], want: ['NoPullRequest', null] },
  ])('is $want of $number, approved by $approvers', ({ number, approvers, want }) => {
    const pullRequest = { number, author: null, approvers, verified: true };
    const row = rowContent('CommitReview', { source: 'policies', commit: null, pullRequest });
    expect([row?.action, row?.after]).toEqual(want);
  });
});
