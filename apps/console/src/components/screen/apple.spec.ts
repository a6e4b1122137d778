import { expect, it } from '@jest/globals';
import { isApple } from './apple.ts';

it.each([
  { userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15', want: true },
  { userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', want: false },
  { userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36', want: false },
])('the command key is named where there is one: $userAgent', ({ userAgent, want }) => {
  expect(isApple({ userAgent })).toBe(want);
});
