import { describe, expect, it } from '@jest/globals';
import { matchesNamespace } from './namespace-pattern.ts';

describe('matchesNamespace', () => {
  it.each([
    { pattern: 'shop', matched: ['shop'], others: ['shops', 'sho', ''] },
    { pattern: '*', matched: ['shop', ''], others: [] },
    { pattern: 'team-*', matched: ['team-', 'team-a'], others: ['team', 'a-team-a', 'Team-a'] },
    { pattern: '*-prod', matched: ['shop-prod', '-prod'], others: ['prod', 'shop-prod-2'] },
    { pattern: 'a*a', matched: ['aa', 'aba'], others: ['a', 'ab'] },
    { pattern: 'a*b*c', matched: ['abc', 'a-b-b-c'], others: ['acb', 'ac', 'abcb'] },
    { pattern: 'a*ab*b', matched: ['aabb', 'a-ab-b'], others: ['aab', 'abb'] },
    { pattern: 'a.c', matched: ['a.c'], others: ['abc'] },
  ])('$pattern', ({ pattern, matched, others }) => {
    expect([...matched, ...others].filter((namespace) => matchesNamespace(pattern, namespace))).toEqual(
      matched,
    );
  });
});
