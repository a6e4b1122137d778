import { describe, expect, it } from '@jest/globals';
import { Semaphore } from './semaphore.ts';

const never = new AbortController().signal;

describe('Semaphore', () => {
  it('runs in order, at most so many at a time', async () => {
    const semaphore = new Semaphore(2);
    const begun: number[] = [];
    const gates = Array.from({ length: 4 }, () => Promise.withResolvers<undefined>());
    const runs = gates.map(({ promise }, index) =>
      semaphore.run(never, () => {
        begun.push(index);
        return promise;
      }),
    );
    expect(begun).toEqual([0, 1]);
    gates[1]?.resolve(undefined);
    await runs[1];
    await Promise.resolve();
    expect(begun).toEqual([0, 1, 2]);
    for (const gate of gates) gate.resolve(undefined);
    await Promise.all(runs);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it('gives the place of one that was given up to the next', async () => {
    const semaphore = new Semaphore(1);
    const gate = Promise.withResolvers<undefined>();
    const first = semaphore.run(never, () => gate.promise);
    const controller = new AbortController();
    const second = semaphore.run(controller.signal, () => Promise.resolve('second'));
    const third = semaphore.run(never, () => Promise.resolve('third'));
    controller.abort(new Error('given up'));
    await expect(second).rejects.toThrow('given up');
    gate.resolve(undefined);
    await first;
    expect(await third).toBe('third');
  });

  it('does not wait for a caller who has gone already, however long the others take', async () => {
    const semaphore = new Semaphore(1);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const running = semaphore.run(new AbortController().signal, () => promise);
    const gone = semaphore.run(AbortSignal.abort(new Error('gone')), () => Promise.resolve());
    await expect(gone).rejects.toThrow('gone');
    resolve(undefined);
    await running;
  });

  it('frees the place of one that failed', async () => {
    const semaphore = new Semaphore(1);
    await expect(semaphore.run(never, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await semaphore.run(never, () => Promise.resolve('yes'))).toBe('yes');
  });
});
