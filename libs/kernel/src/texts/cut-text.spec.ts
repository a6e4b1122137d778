import { expect, it } from '@jest/globals';
import { cutText } from './cut-text.ts';

it.each([
  { text: 'abc', maximum: 3, want: 'abc' },
  { text: 'abcd', maximum: 3, want: 'abc' },
  { text: 'ab😀', maximum: 4, want: 'ab😀' },
  { text: 'ab😀', maximum: 3, want: 'ab' },
  { text: 'ab😀d', maximum: 4, want: 'ab😀' },
  { text: '😀', maximum: 0, want: '' },
])('$text has $want as its first $maximum', ({ text, maximum, want }) => {
  expect(cutText(text, maximum)).toBe(want);
});
