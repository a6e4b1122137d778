import { expect, it } from '@jest/globals';
import { shortText } from './short-text.ts';

it.each([
  { text: 'abc', maximum: 3, want: 'abc' },
  { text: 'abcd', maximum: 3, want: 'ab…' },
  { text: 'a😀', maximum: 3, want: 'a😀' },
  { text: 'a😀b', maximum: 3, want: 'a…' },
  { text: 'ab', maximum: 1, want: '…' },
])('$text is $want in $maximum', ({ text, maximum, want }) => {
  expect(shortText(text, maximum)).toBe(want);
});
