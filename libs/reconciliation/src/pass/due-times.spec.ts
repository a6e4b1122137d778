import { describe, expect, it } from '@jest/globals';
import { DueTimes, spreadOf } from './due-times.ts';

const policy = (key: string, version = 'v1') => ({ key, intervalSeconds: 15, version });
const noJitter = () => new DueTimes({ jitterPercent: 0, seed: '' });

describe('DueTimes', () => {
  it('gives a policy once an interval', () => {
    const times = noJitter();
    const taken = [0, 1_000, 14_999, 15_000, 16_000, 30_000].map((now) => times.take([policy('a')], now));
    expect(taken).toEqual([['a'], [], [], ['a'], [], ['a']]);
  });

  it('skips the times that were missed and keeps its place in the interval', () => {
    const times = noJitter();
    times.take([policy('a')], 0);
    expect(times.take([policy('a')], 52_000)).toEqual(['a']);
    expect(times.take([policy('a')], 59_999)).toEqual([]);
    expect(times.take([policy('a')], 60_000)).toEqual(['a']);
  });

  it('gives a new policy and a new version at once', () => {
    const times = noJitter();
    times.take([policy('a')], 0);
    expect(times.take([policy('a'), policy('b')], 1_000)).toEqual(['b']);
    expect(times.take([policy('a', 'v2'), policy('b')], 2_000)).toEqual(['a']);
  });

  it('spreads the policies of one commit after their first pass at once', () => {
    const times = new DueTimes({ jitterPercent: 10, seed: '' });
    times.take([policy('first')], 0);
    const policies = Array.from({ length: 100 }, (_, index) => policy(`shop/web-${index}`));
    expect(times.take(policies, 60_000)).toHaveLength(100);
    const counts = Array.from({ length: 16 }, (_, tick) => times.take(policies, 73_500 + tick * 100).length);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(100);
    expect(Math.max(...counts)).toBeLessThan(20);
  });

  it('forgets a policy that is not in force any more', () => {
    const times = noJitter();
    times.take([policy('a'), policy('b')], 0);
    times.take([policy('b')], 1_000);
    expect(times.take([policy('a'), policy('b')], 2_000)).toEqual(['a']);
  });

  it('spreads the first passes over the jitter, the same way for one seed', () => {
    const policies = Array.from({ length: 1_000 }, (_, index) => policy(`shop/web-${index}`));
    const firstPasses = (seed: string) => {
      const times = new DueTimes({ jitterPercent: 10, seed });
      return Array.from({ length: 16 }, (_, tick) => times.take(policies, tick * 100));
    };
    const passes = firstPasses('x');
    expect(passes.flat().length).toBe(1_000);
    expect(Math.max(...passes.map((keys) => keys.length))).toBeLessThan(110);
    expect(firstPasses('x')).toEqual(passes);
    expect(firstPasses('y')).not.toEqual(passes);
  });
});

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
