import { describe, expect, it } from '@jest/globals';
import { printable } from './printable.ts';

describe('printable', () => {
  it.each([
    ['größer "als"\t🚀', 'größer "als"\t🚀'],
    ['a\nproven: b', 'a\\u000aproven: b'],
    ['\u001b[8m\u009b\u007f', '\\u001b[8m\\u009b\\u007f'],
    ['\u202eabc\u2028', '\\u202eabc\\u2028'],
  ])('shows %j', (given, want) => {
    expect(printable(given)).toBe(want);
  });
});
