import { describe, expect, it } from '@jest/globals';
import { Backoff } from './backoff.ts';

describe('Backoff', () => {
  it('doubles to 30 seconds and stays there', () => {
    const backoff = new Backoff();
    const delays = Array.from({ length: 10 }, () => backoff.next(0.5));
    expect(delays).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('spreads each delay over half to one and a half of it', () => {
    expect(new Backoff().next(0)).toBe(125);
    expect(new Backoff().next(0.999)).toBe(375);
  });

  it('begins anew after a success', () => {
    const backoff = new Backoff();
    backoff.next(0.5);
    backoff.next(0.5);
    backoff.reset();
    expect(backoff.next(0.5)).toBe(250);
  });
});
