import { describe, expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import { MetricSource } from './metric-source.ts';

const never = new Promise<never>(() => undefined);
const outage = (): Promise<never> =>
  Promise.reject(new AdapterError({ code: 'Unreachable', message: 'not reachable', retryable: true }));

function aSource({ maximumConcurrency = 2, timeoutMilliseconds = 60_000 } = {}): MetricSource {
  const timing = { now: () => 0, random: () => 0.5 };
  return new MetricSource({ name: 'prometheus/main', maximumConcurrency, timeoutMilliseconds, timing });
}

describe('MetricSource', () => {
  it('ends a call that heeds no signal at its deadline', async () => {
    const source = aSource({ timeoutMilliseconds: 1 });
    await expect(source.run(() => never)).rejects.toMatchObject({
      code: 'Timeout',
      message: 'no answer within 0.001 s',
    });
    expect(source.health).toMatchObject({ running: 0, waiting: 0, calls: { failed: 1 } });
  });

  it('lets no more calls through than its bulkhead, and gives up on a place that does not come', async () => {
    const source = aSource({ maximumConcurrency: 1 });
    const hanging = new AbortController();
    const first = source.run(() => never, hanging.signal);
    const impatient = new AbortController();
    const second = source.run(() => Promise.resolve('done'), impatient.signal);
    expect(source.health).toMatchObject({ running: 1, waiting: 1 });
    impatient.abort(new Error('given up'));
    await expect(second).rejects.toThrow('given up');
    hanging.abort(new Error('ended'));
    await expect(first).rejects.toThrow('ended');
    expect(source.health).toEqual({
      name: 'prometheus/main',
      breaker: 'Closed',
      running: 0,
      waiting: 0,
      calls: { succeeded: 0, failed: 1, refused: 1 },
    });
  });

  it('refuses what waits as soon as the breaker opens', async () => {
    const source = aSource({ maximumConcurrency: 5 });
    const failing = Promise.withResolvers<never>();
    const sent = [1, 2, 3, 4, 5].map(() => source.run(() => failing.promise));
    const waiting = source.run(() => Promise.resolve('done'));
    const refused = expect(waiting).rejects.toMatchObject({ code: 'CircuitOpen' });
    outage().catch((error: unknown) => failing.reject(error));
    expect((await Promise.allSettled(sent)).map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    await refused;
    await expect(source.run(() => Promise.resolve('done'))).rejects.toMatchObject({ code: 'CircuitOpen' });
    expect(source.health).toMatchObject({
      breaker: 'Open',
      waiting: 0,
      calls: { succeeded: 0, failed: 5, refused: 2 },
    });
  });

  it('stays closed while a source refuses single questions', async () => {
    const source = aSource();
    const refusal = new AdapterError({ code: 'NotFound', message: 'no such metric', retryable: true });
    for (let call = 0; call < 10; call += 1)
      await expect(source.run(() => Promise.reject(refusal))).rejects.toBe(refusal);
    expect(source.health.breaker).toBe('Closed');
  });
});
