import { describe, expect, it } from '@jest/globals';
import { untilAborted } from './until-aborted.ts';

describe('a wait for work that others wait for, too', () => {
  it('ends with the signal, and the work goes on', async () => {
    const ending = new AbortController();
    const work = Promise.withResolvers<string>();
    const waiting = untilAborted(ending.signal, () => work.promise);
    ending.abort(new Error('too late'));
    await expect(waiting).rejects.toThrow('too late');
    work.resolve('done');
    await expect(untilAborted(new AbortController().signal, () => work.promise)).resolves.toBe('done');
  });

  it('begins nothing where the signal has ended: a failure that nobody waits for ends the process', async () => {
    let begun = 0;
    const waiting = untilAborted(AbortSignal.abort(new Error('too late')), () => {
      begun += 1;
      return Promise.reject(new Error('nobody hears of it'));
    });
    await expect(waiting).rejects.toThrow('too late');
    expect(begun).toBe(0);
  });
});
