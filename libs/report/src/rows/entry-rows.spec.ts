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
