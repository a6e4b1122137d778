import { beforeEach, describe, expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import { CircuitBreaker, type FailureMeaning } from './circuit-breaker.ts';

let now: number;
let breaker: CircuitBreaker;

beforeEach(() => {
  now = 1_000_000;
  breaker = new CircuitBreaker({ now: () => now, random: () => 0.5 });
});

/** Fails so many calls, one per second. */
async function fail(count: number, meaning: FailureMeaning = 'Outage'): Promise<void> {
  for (let call = 0; call < count; call += 1) {
    now += 1_000;
    await expect(
      breaker.run(
        () => Promise.reject(new Error('no answer')),
        () => meaning,
      ),
    ).rejects.toThrow('no answer');
  }
}

const succeed = (): Promise<string> =>
  breaker.run(
    () => Promise.resolve('done'),
    () => 'Outage',
  );

describe('CircuitBreaker', () => {
  it('opens with the fifth failure of a source that has never worked', async () => {
    await fail(4);
    expect(breaker.state).toBe('Closed');
    await fail(1);
    expect(breaker.state).toBe('Open');
    await expect(succeed()).rejects.toMatchObject({
      code: 'CircuitOpen',
      message: 'not asked for a while, since it did not answer: no answer',
    });
  });

  it('stays closed while anything has worked within 20 s: one slow query is no outage', async () => {
    await succeed();
    await fail(19);
    expect(breaker.state).toBe('Closed');
    await fail(1);
    expect(breaker.state).toBe('Open');
  });

  it('counts a refusal as an answer, and a call that was given up as nothing', async () => {
    await fail(20, 'Answer');
    await fail(20, 'Unknown');
    await fail(4);
    expect(breaker.state).toBe('Closed');
  });

  it('lets three trials through when its time is over, and closes with the first that works', async () => {
    await fail(5);
    now += 10_000;
    expect(breaker.state).toBe('HalfOpen');
    const trials = [1, 2, 3].map(() => Promise.withResolvers<string>());
    const runs = trials.map(({ promise }) =>
      breaker.run(
        () => promise,
        () => 'Outage',
      ),
    );
    await expect(succeed()).rejects.toBeInstanceOf(AdapterError);
    for (const { resolve } of trials) resolve('done');
    await Promise.all(runs);
    expect(breaker.state).toBe('Closed');
    await expect(succeed()).resolves.toBe('done');
  });

  it('opens for longer each time, for 30 s at most', async () => {
    await fail(5);
    for (const seconds of [10, 20, 30, 30]) {
      now += seconds * 1_000 - 1;
      expect(breaker.state).toBe('Open');
      now += 1;
      expect(breaker.state).toBe('HalfOpen');
      await fail(1);
    }
  });

  it('begins with the shortest time again after it has worked', async () => {
    await fail(5);
    now += 10_000;
    await fail(1);
    now += 20_000;
    await succeed();
    now += 20_000;
    await fail(5);
    now += 10_000;
    expect(breaker.state).toBe('HalfOpen');
  });
});
