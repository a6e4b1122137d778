import { describe, expect, it } from '@jest/globals';
import { apiGroupOf, namespacedName } from './object-names.ts';

describe('names of objects', () => {
  it('joins namespace and name', () => {
    expect(namespacedName({ namespace: 'shop', name: 'checkout' })).toBe('shop/checkout');
  });

  it.each([
    ['apps/v1', 'apps'],
    ['v1', ''],
    ['/v1', ''],
    ['', ''],
    ['a/b/c', 'a'],
  ])('takes the group of %j', (apiVersion, want) => {
    expect(apiGroupOf(apiVersion)).toBe(want);
  });
});
