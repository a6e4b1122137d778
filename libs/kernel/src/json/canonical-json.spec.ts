import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.ts';
import type { Json, JsonObject } from './json.ts';

function reversed(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `k${count + 1_000 - index}`);
}

function record(keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.map((key) => [key, key]));
}

describe('canonicalJson', () => {
  it.each([
    { name: 'sorts keys by code unit', given: { b: 1, a: 2, é: 3, B: 4 }, want: '{"B":4,"a":2,"b":1,"é":3}' },
    { name: 'sorts inside what is in order', given: { a: [{ c: 1, b: 2 }] }, want: '{"a":[{"b":2,"c":1}]}' },
    {
      name: 'writes what is in order as it is',
      given: { a: { b: [1] }, c: 2 },
      want: '{"a":{"b":[1]},"c":2}',
    },
    {
      name: 'sorts digits as text, though engines list them as numbers',
      given: { 9: 'b', 10: 'a', '-': 'c' },
      want: '{"-":"c","10":"a","9":"b"}',
    },
    {
      name: 'takes __proto__ as a key like any other',
      given: { b: 1, ['__proto__']: 2 },
      want: '{"__proto__":2,"b":1}',
    },
    {
      name: 'takes __proto__ as a key like any other, beside what is not in order',
      given: { ['__proto__']: 2, b: { d: 1, c: 2 } },
      want: '{"__proto__":2,"b":{"c":2,"d":1}}',
    },
    {
      name: 'sorts digits as text inside what is not in order',
      given: { b: [{ 9: 1, 10: { d: 1, c: 2 } }], a: { 1: 1, 2: { d: 1, c: 2 } } },
      want: '{"a":{"1":1,"2":{"c":2,"d":1}},"b":[{"10":{"c":2,"d":1},"9":1}]}',
    },
    {
      name: 'leaves undefined keys out of what is not in order',
      given: { b: [{ d: undefined, c: 1 }], a: undefined },
      want: '{"b":[{"c":1}]}',
    },
    {
      name: 'sorts few keys and many',
      given: { b: record(reversed(100)), a: record(reversed(5)) },
      want: JSON.stringify({ a: record(reversed(5).toReversed()), b: record(reversed(100).toReversed()) }),
    },
    { name: 'keeps the order of lists', given: [3, 1, 2], want: '[3,1,2]' },
    { name: 'leaves undefined keys out', given: { a: undefined, b: null }, want: '{"b":null}' },
    { name: 'writes numbers as ECMAScript does', given: [1e21, 1.0, -0, 1e-7], want: '[1e+21,1,0,1e-7]' },
    { name: 'escapes only what JSON must', given: 'a"\n\u0001€', want: '"a\\"\\n\\u0001€"' },
  ])('$name', ({ given, want }) => {
    expect(canonicalJson(given)).toBe(want);
  });

  it('changes nothing of what it is given', () => {
    const given = { b: [{ d: 1, c: 2 }], a: { c: { e: 1, d: 2 } } };
    const before = JSON.stringify(given);
    canonicalJson(given);
    expect(JSON.stringify(given)).toBe(before);
  });

  it('writes any JSON as sorting keys and putting texts together would', () => {
    const text = (value: Json): string => {
      if (typeof value !== 'object' || value === null) return JSON.stringify(value);
      if (Array.isArray(value)) return `[${value.map((item: Json) => text(item)).join(',')}]`;
      const entries = Object.entries(value as JsonObject).toSorted(([a], [b]) => (a < b ? -1 : 1));
      return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${text(item ?? null)}`).join(',')}}`;
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => expect(canonicalJson(value as Json)).toBe(text(value as Json))),
    );
  });

  it('refuses a number that JSON cannot write', () => {
    expect(() => canonicalJson(Number.NaN)).toThrow('NaN');
    expect(() => canonicalJson({ a: [Number.POSITIVE_INFINITY] })).toThrow('Infinity');
  });
});
