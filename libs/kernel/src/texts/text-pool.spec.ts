import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TextPool } from './text-pool.ts';

describe('TextPool', () => {
  it('gives an equal value', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (values) => {
        const pool = new TextPool();
        // As JSON, where a key may be __proto__ and -0 is 0.
        for (const value of values) {
          const text = JSON.stringify(value);
          const parsed: unknown = JSON.parse(text);
          expect(JSON.stringify(pool.share(parsed))).toBe(text);
        }
      }),
    );
  });

  it('changes nothing of what it is given', () => {
    const given = Object.freeze({
      list: Object.freeze(['a', Object.freeze({ b: 'c' })]),
      none: null,
      count: 1,
    });
    expect(new TextPool().share(given)).toEqual(given);
  });
});
