import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from './canonical-json.ts';

describe('canonicalJson', () => {
  it.each([
    { name: 'sorts keys by code unit', given: { b: 1, a: 2, é: 3, B: 4 }, want: '{"B":4,"a":2,"b":1,"é":3}' },
    { name: 'keeps the order of lists', given: [3, 1, 2], want: '[3,1,2]' },
    { name: 'leaves undefined keys out', given: { a: undefined, b: null }, want: '{"b":null}' },
    { name: 'writes numbers as ECMAScript does', given: [1e21, 1.0, -0, 1e-7], want: '[1e+21,1,0,1e-7]' },
    { name: 'escapes only what JSON must', given: 'a"\n\u0001€', want: '"a\\"\\n\\u0001€"' },
  ])('$name', ({ given, want }) => {
    expect(canonicalJson(given)).toBe(want);
  });

  it('refuses a number that JSON cannot write', () => {
    expect(() => canonicalJson(Number.NaN)).toThrow('NaN');
  });
});
