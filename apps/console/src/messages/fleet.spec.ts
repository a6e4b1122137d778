import { expect, it } from '@jest/globals';
import { fleet } from './fleet.ts';

it.each([
  { count: 1, policies: 'policy', steady: '1 policy within its bounds' },
  { count: 2, policies: 'policies', steady: '2 policies within their bounds' },
])('a wall screen speaks of $count as one does', ({ count, policies, steady }) => {
  expect([fleet.tv.policies(count), fleet.tv.steady(count)]).toEqual([policies, steady]);
});
