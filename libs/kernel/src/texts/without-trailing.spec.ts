import { expect, it } from '@jest/globals';
import { withoutTrailing } from './without-trailing.ts';

it.each([
  { text: 'https://host//', want: 'https://host' },
  { text: '//', want: '' },
  { text: 'a/b', want: 'a/b' },
  { text: '', want: '' },
])('leaves $want of $text', ({ text, want }) => {
  expect(withoutTrailing(text, '/')).toBe(want);
});
