import { describe, expect, it } from '@jest/globals';
import { planSuspension } from './plan-actions.ts';

const stands = { kind: 'Suspension', id: 'a1', expires: '2027-03-01T12:00:00Z' };

describe('what the beginning of an intervention is told with', () => {
  it.each([
    { name: 'nothing of what it does', begun: undefined, want: '' },
    {
      name: 'how many policies it acts on, and no effects',
      begun: { policies: 2 },
      want: '\nit acts on 2 policies',
    },
    {
      name: 'the first of its effects',
      begun: { policies: 2, effects: ['shop/checkout: stays'], standing: [] },
      want: '\nit acts on 2 policies\nshop/checkout: stays\nand 1 more',
    },
    {
      name: 'what it was forced against',
      begun: { policies: 1, effects: [], against: ['guardrail bounds: 9 are enough'], standing: [] },
      want: '\nit acts on 1 policy\nforced against guardrail bounds: 9 are enough',
    },
  ])('is what the controller says: $name', ({ begun, want }) => {
    const { done } = planSuspension(['shop/checkout'], { for: '1h', direction: 'Both' });
    expect(done({ ...stands, begun })).toBe(`Suspension a1 stands until 2027-03-01T12:00:00Z${want}`);
  });
});
