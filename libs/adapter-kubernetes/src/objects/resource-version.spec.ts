import { describe, expect, it } from '@jest/globals';
import { isAtLeast, isLater } from './resource-version.ts';

describe('isAtLeast', () => {
  it.each([
    { version: '10', other: '9', want: true },
    { version: '9', other: '10', want: false },
    { version: '10', other: '10', want: true },
    { version: '18446744073709551616', other: '18446744073709551615', want: true },
    { version: 'opaque', other: '10', want: true },
  ])('$version is at least $other: $want', ({ version, other, want }) => {
    expect(isAtLeast(version, other)).toBe(want);
  });
});

describe('isLater', () => {
  it.each([
    { version: '10', other: '9', want: true },
    { version: '9', other: '10', want: false },
    { version: '10', other: '10', want: false },
    { version: 'opaque', other: '10', want: true },
    { version: 'opaque', other: 'opaque', want: false },
  ])('$version is later than $other: $want', ({ version, other, want }) => {
    expect(isLater(version, other)).toBe(want);
  });
});
