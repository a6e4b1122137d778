import { describe, expect, it } from '@jest/globals';
import { DueTimes } from './due-times.ts';

const policy = (key: string, version = 'v1') => {
  const [namespace = ''] = key.split('/');
  return { key, namespace, intervalSeconds: 15, version };
};
const regular = (key: string) => ({ key, isEarly: false });
const early = (key: string) => ({ key, isEarly: true });
const noJitter = () => new DueTimes({ jitterPercent: 0, seed: '' });

describe('DueTimes', () => {
  it('gives a policy once an interval', () => {
    const times = noJitter();
    const taken = [0, 1_000, 14_999, 15_000, 16_000, 30_000].map((now) => times.take([policy('a')], now));
    expect(taken).toEqual([[regular('a')], [], [], [regular('a')], [], [regular('a')]]);
  });

  it('skips the times that were missed and keeps its place in the interval', () => {
    const times = noJitter();
    times.take([policy('a')], 0);
    expect(times.take([policy('a')], 52_000)).toEqual([regular('a')]);
    expect(times.take([policy('a')], 59_999)).toEqual([]);
    expect(times.take([policy('a')], 60_000)).toEqual([regular('a')]);
  });

  it('gives a new policy at once, and a new version early', () => {
    const times = noJitter();
    times.take([policy('a')], 0);
    expect(times.take([policy('a'), policy('b')], 1_000)).toEqual([regular('b')]);
    expect(times.take([policy('a', 'v2'), policy('b')], 2_000)).toEqual([early('a')]);
    expect(times.take([policy('a', 'v2'), policy('b')], 14_499)).toEqual([]);
    expect(times.take([policy('a', 'v2'), policy('b')], 15_000)).toEqual([regular('a'), regular('b')]);
  });

  it('gives a new policy at once where there was none, too', () => {
    const times = new DueTimes({ jitterPercent: 50, seed: '' });
    times.take([], 0);
    expect(times.take([policy('a')], 1_000)).toEqual([regular('a')]);
  });

  it('begins another interval at once, and puts no pass off', () => {
    const times = noJitter();
    const every = (intervalSeconds: number, version: string) => [
      { ...policy('a', version), intervalSeconds },
    ];
    times.take(every(60, 'v1'), 0);
    expect(times.take(every(15, 'v2'), 2_000)).toEqual([early('a')]);
    // Each somewhat earlier than an interval after the last, until the namespace's place is reached.
    expect(times.take(every(15, 'v2'), 15_499)).toEqual([]);
    expect(times.take(every(15, 'v2'), 15_500)).toEqual([regular('a')]);
    expect(times.take(every(60, 'v3'), 20_000)).toEqual([early('a')]);
    expect(times.take(every(60, 'v3'), 29_999)).toEqual([]);
    expect(times.take(every(60, 'v3'), 30_000)).toEqual([regular('a')]);
    expect(times.take(every(60, 'v3'), 83_999)).toEqual([]);
    expect(times.take(every(60, 'v3'), 84_000)).toEqual([regular('a')]);
  });

  it('gives a hastened policy early, once, and not within a second of its last pass', () => {
    const times = noJitter();
    times.take([policy('a')], 0);
    times.hasten('a', 500);
    times.hasten('a', 600);
    expect(times.take([policy('a')], 999)).toEqual([]);
    expect(times.take([policy('a')], 1_000)).toEqual([early('a')]);
    expect(times.take([policy('a')], 14_000)).toEqual([]);
  });

  it('gives a policy early at the time that it is hastened for', () => {
    const times = noJitter();
    times.take([policy('a')], 0);
    times.hasten('a', 20_000);
    expect(times.take([policy('a')], 15_000)).toEqual([regular('a')]);
    expect(times.take([policy('a')], 19_999)).toEqual([]);
    expect(times.take([policy('a')], 20_000)).toEqual([early('a')]);
  });

  it('gives a hastened policy as regular where its interval has elapsed', () => {
    const times = noJitter();
    times.take([policy('a')], 0);
    times.hasten('a', 14_500);
    expect(times.take([policy('a')], 15_000)).toEqual([regular('a')]);
    expect(times.take([policy('a')], 16_000)).toEqual([]);
  });

  it.each(['a start', 'one commit'])(
    'spreads the namespaces of the policies of %s after their first pass at once',
    (name) => {
      const times = new DueTimes({ jitterPercent: 10, seed: '' });
      if (name === 'one commit') times.take([policy('first')], 0);
      const policies = Array.from({ length: 100 }, (_, index) => policy(`team-${index}/web`));
      expect(times.take(policies, 60_000)).toHaveLength(100);
      const ticks = Array.from({ length: 16 }, (_, tick) => 73_500 + tick * 100);
      const counts = ticks.map((now) => times.take(policies, now).length);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(100);
      expect(Math.max(...counts)).toBeLessThan(20);
    },
  );

  it('takes the policies of a namespace together in the end, whenever they came, and none much too early', () => {
    const times = new DueTimes({ jitterPercent: 10, seed: '' });
    const policies = Array.from({ length: 300 }, (_, index) => policy(`team-${index % 3}/web-${index}`));
    const last = new Map<string, number>();
    const gaps = new Set<number>();
    const groups: number[] = [];
    for (let now = 0; now <= 300_000; now += 100) {
      const there = policies.slice(0, now < 67_000 ? 100 : 300);
      const due = times.take(there, now);
      for (const { key } of due) {
        gaps.add(now - (last.get(key) ?? now - 15_000));
        last.set(key, now);
      }
      if (now > 285_000 && due.length > 0) groups.push(due.length);
    }
    expect(groups).toEqual([100, 100, 100]);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(13_500);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(15_100);
  });

  it('forgets a policy that is not in force any more', () => {
    const times = noJitter();
    times.take([policy('a'), policy('b')], 0);
    times.take([policy('b')], 1_000);
    expect(times.take([policy('a'), policy('b')], 2_000)).toEqual([regular('a')]);
  });

  it('spreads namespaces over the jitter, the same way for one seed', () => {
    const policies = Array.from({ length: 1_000 }, (_, index) => policy(`team-${index}/web`));
    const secondPasses = (seed: string) => {
      const times = new DueTimes({ jitterPercent: 10, seed });
      times.take(policies, 0);
      return Array.from({ length: 16 }, (_, tick) => times.take(policies, 13_500 + tick * 100));
    };
    const passes = secondPasses('x');
    expect(passes.flat().length).toBe(1_000);
    expect(Math.max(...passes.map((keys) => keys.length))).toBeLessThan(110);
    expect(secondPasses('x')).toEqual(passes);
    expect(secondPasses('y')).not.toEqual(passes);
  });
});
