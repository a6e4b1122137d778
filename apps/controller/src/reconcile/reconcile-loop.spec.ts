import { describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { ReconcileLoop } from './reconcile-loop.ts';

const logger = pino({ level: 'silent' });

/** A reconciler whose sweeps a test can wait for. */
function sweeper(each: () => Promise<void> = () => Promise.resolve()) {
  const calls: string[] = [];
  const hastened: { listener: () => void } = { listener: () => undefined };
  const reached = Promise.withResolvers<undefined>();
  const note = (call: string) => {
    calls.push(call);
    if (calls.filter((made) => made === 'sweep').length === 3) reached.resolve(undefined);
    return Promise.resolve();
  };
  const reconciler = {
    take: (shards: readonly number[]) => note(`take ${shards.join(' ')}`),
    giveUp: (shard: number) => note(`give up ${shard}`),
    sweep: () => note('sweep').then(each),
    shutdown: () => note('shutdown'),
    onHastened: (listener: () => void) => {
      hastened.listener = listener;
    },
  };
  return { calls, reconciler, thirdSweep: reached.promise, hasten: () => hastened.listener() };
}

describe('ReconcileLoop', () => {
  it('restores, sweeps, and shuts down once', async () => {
    const { calls, reconciler, thirdSweep } = sweeper();
    const loop = new ReconcileLoop({ reconciler, logger, tickMilliseconds: 1 });
    await loop.take(0, 1);
    loop.start();
    await thirdSweep;
    expect(loop.hasSwept).toBe(true);
    await loop.stop();
    await loop.stop();
    expect([calls[0], calls.at(-1)]).toEqual(['take 0 1', 'shutdown']);
    expect(calls.filter((call) => call !== 'sweep')).toEqual(['take 0 1', 'shutdown']);
  });

  it('sweeps on while a sweep hangs or fails', async () => {
    const hanging = sweeper(() => new Promise(() => undefined));
    const failing = sweeper(() => Promise.reject(new Error('broken')));
    for (const { reconciler, thirdSweep } of [hanging, failing]) {
      const loop = new ReconcileLoop({ reconciler, logger, tickMilliseconds: 1 });
      loop.start();
      await thirdSweep;
      expect(loop.hasSwept).toBe(false);
      await loop.stop();
    }
  });

  it('sweeps no more once it rests, and shuts down all the same', async () => {
    const { calls, reconciler, thirdSweep, hasten } = sweeper();
    const loop = new ReconcileLoop({ reconciler, logger, tickMilliseconds: 1 });
    loop.start();
    await thirdSweep;
    loop.rest();
    const sweeps = calls.length;
    hasten();
    loop.start();
    await new Promise((resolve) => setTimeout(resolve, 150));
    await loop.stop();
    expect(calls.slice(sweeps)).toEqual(['shutdown']);
  });

  it('sweeps soon when a policy is due before the next tick, once for changes that come together', async () => {
    const { calls, reconciler, thirdSweep, hasten } = sweeper(() => {
      if (calls.length < 3) setImmediate(hasten);
      return Promise.resolve();
    });
    const loop = new ReconcileLoop({ reconciler, logger, tickMilliseconds: 3_600_000 });
    loop.start();
    for (let change = 0; change < 10; change += 1) hasten();
    await thirdSweep;
    await loop.stop();
    hasten();
    expect(calls).toEqual(['sweep', 'sweep', 'sweep', 'shutdown']);
  });

  it('sweeps at once when shards are taken, and not while none are to be swept', async () => {
    const { calls, reconciler } = sweeper();
    const loop = new ReconcileLoop({ reconciler, logger, tickMilliseconds: 3_600_000 });
    await loop.take(0);
    loop.start();
    await loop.take(1);
    await Promise.resolve();
    expect(calls).toEqual(['take 0', 'sweep', 'take 1', 'sweep']);
    loop.rest();
    await loop.take(2);
    await Promise.resolve();
    expect(calls.slice(4)).toEqual(['take 2']);
    await loop.stop();
  });
});
