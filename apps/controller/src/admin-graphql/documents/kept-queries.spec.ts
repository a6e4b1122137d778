import { describe, expect, it } from '@jest/globals';
import { KeptQueries } from './kept-queries.ts';

/** How often everything was dropped while these were noted. */
function forgotten(kept: KeptQueries, texts: readonly string[]): number {
  let count = 0;
  for (const text of texts) kept.note(text, () => (count += 1));
  return count;
}

const long = (length: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `{ a${index} }`.padEnd(length));

describe('queries that are kept', () => {
  it('are bounded by their characters', () => {
    expect(forgotten(new KeptQueries([]), long(8_000, 15))).toBe(0);
    expect(forgotten(new KeptQueries([]), long(8_000, 16))).toBe(1);
    expect(forgotten(new KeptQueries([]), long(8_000, 160))).toBe(10);
  });

  it('count something each, however short they are', () => {
    expect(forgotten(new KeptQueries([]), long(8, 496))).toBe(0);
    expect(forgotten(new KeptQueries([]), long(8, 497))).toBe(1);
  });

  it('count once', () => {
    const texts = long(60_000, 2);
    expect(forgotten(new KeptQueries([]), [...texts, ...texts, ...texts])).toBe(0);
  });

  it('that were known from the start count nothing', () => {
    const texts = long(100_000, 20);
    expect(forgotten(new KeptQueries(texts), texts)).toBe(0);
  });

  it('of which one is longer than all may be are dropped with the next', () => {
    const kept = new KeptQueries([]);
    expect(forgotten(kept, ['{ a }', '{ b }'.padEnd(400_000)])).toBe(1);
    expect(forgotten(kept, ['{ c }'])).toBe(1);
  });
});
