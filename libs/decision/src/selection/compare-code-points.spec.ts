import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareCodePoints } from './compare-code-points.ts';

it('orders as a comparison of code points does', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      const [left, right] = [Array.from(a), Array.from(b)].map((points) =>
        points.map((point) => String(point.codePointAt(0) ?? 0).padStart(8, '0')).join(','),
      );
      expect(Math.sign(compareCodePoints(a, b))).toBe(
        (left ?? '') < (right ?? '') ? -1 : left === right ? 0 : 1,
      );
    }),
  );
});

it.each([
  ['\uD7FF', '\u{10000}'],
  ['\uE000', '\u{10000}'],
  ['\uFFFF', '\u{10FFFF}'],
  ['\u{10FFFE}', '\u{10FFFF}'],
  ['a', 'ab'],
  ['aa', 'ab'],
])('puts %j before %j', (first, second) => {
  expect(compareCodePoints(first, second)).toBeLessThan(0);
  expect(compareCodePoints(second, first)).toBeGreaterThan(0);
  expect(compareCodePoints(first, first)).toBe(0);
});

it('puts U+FF5E before U+1F600, which UTF-16 does not', () => {
  expect(['\u{1F600}', '\uFF5E'].sort(compareCodePoints)).toEqual(['\uFF5E', '\u{1F600}']);
});
