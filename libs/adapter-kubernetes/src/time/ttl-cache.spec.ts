import { describe, expect, it } from '@jest/globals';
import { FakeTiming } from './timing.fake.ts';
import { TtlCache } from './ttl-cache.ts';

describe('TtlCache', () => {
  it('loads once for all who ask at the same time', async () => {
    const cache = new TtlCache<number>({ timing: new FakeTiming(), maximumEntries: 10 });
    let loads = 0;
    const load = () => Promise.resolve({ value: (loads += 1), lifetimeMilliseconds: 100 });
    expect(await Promise.all([cache.get('a', load), cache.get('a', load)])).toEqual([1, 1]);
    expect(cache.counts).toEqual({ hits: 0, misses: 2, evictions: 0, entries: 1 });
  });

  it('believes a value until its time is over', async () => {
    const timing = new FakeTiming();
    const cache = new TtlCache<string>({ timing, maximumEntries: 10 });
    const ask = (value: string) =>
      cache.get('a', () => Promise.resolve({ value, lifetimeMilliseconds: 100 }));
    expect(await ask('first')).toBe('first');
    timing.advance(99);
    expect(await ask('second')).toBe('first');
    timing.advance(1);
    expect(await ask('third')).toBe('third');
    expect(cache.counts).toEqual({ hits: 1, misses: 2, evictions: 0, entries: 1 });
  });

  it('rejects every concurrent caller with a failure, and does not keep it', async () => {
    const cache = new TtlCache<string>({ timing: new FakeTiming(), maximumEntries: 10 });
    const fail = () => Promise.reject(new Error('down'));
    const asked = [cache.get('a', fail), cache.get('a', fail)];
    for (const result of await Promise.allSettled(asked)) expect(result.status).toBe('rejected');
    expect(await cache.get('a', () => Promise.resolve({ value: 'up', lifetimeMilliseconds: 1 }))).toBe('up');
  });

  it('gives a caller with a generation nothing older, and other callers what there is', async () => {
    const cache = new TtlCache<string>({ timing: new FakeTiming(), maximumEntries: 10 });
    const ask = (value: string, since?: number) =>
      cache.get('a', () => Promise.resolve({ value, lifetimeMilliseconds: 100 }), since);
    await ask('first');
    const generation = cache.advance();
    expect(await ask('second')).toBe('first');
    expect(await ask('third', generation)).toBe('third');
    expect(await ask('fourth', generation)).toBe('third');
    expect(await ask('fifth')).toBe('third');
  });

  it('does not join a load that began before the generation, nor lets its answer replace the newer one', async () => {
    const cache = new TtlCache<string>({ timing: new FakeTiming(), maximumEntries: 10 });
    const slow = Promise.withResolvers<{ readonly value: string; readonly lifetimeMilliseconds: number }>();
    const before = cache.get('a', () => slow.promise);
    const generation = cache.advance();
    const fresh = () => Promise.resolve({ value: 'new', lifetimeMilliseconds: 100 });
    expect(await cache.get('a', fresh, generation)).toBe('new');
    slow.resolve({ value: 'old', lifetimeMilliseconds: 100 });
    expect(await before).toBe('old');
    expect(await cache.get('a', () => slow.promise, generation)).toBe('new');
  });

  it('lets the oldest go for one more, and sweeps what is over', async () => {
    const timing = new FakeTiming();
    const cache = new TtlCache<string>({ timing, maximumEntries: 2 });
    for (const key of ['a', 'b', 'c'])
      await cache.get(key, () => Promise.resolve({ value: key, lifetimeMilliseconds: 100 }));
    expect(cache.counts.entries).toBe(2);
    expect(await cache.get('a', () => Promise.resolve({ value: 'anew', lifetimeMilliseconds: 500 }))).toBe(
      'anew',
    );
    timing.advance(200);
    cache.sweep();
    expect(cache.counts.entries).toBe(1);
  });
});
