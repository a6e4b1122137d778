import { describe, expect, it } from '@jest/globals';
import { spreadOf } from './spread-of.ts';

describe('spreadOf', () => {
  it('stays within [0, 1) and tells like names apart', () => {
    const values = Array.from({ length: 10_000 }, (_, index) => spreadOf(`web-${index}`));
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    const counts = Array.from(
      { length: 10 },
      (_, decile) => values.filter((value) => Math.floor(value * 10) === decile).length,
    );
    expect(Math.min(...counts)).toBeGreaterThan(900);
  });
});
