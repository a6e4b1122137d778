import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { SharedAnswers } from './shared-answers.ts';

describe('an answer that takes long', () => {
  let made: PromiseWithResolvers<string>[];
  let shared: SharedAnswers<string>;
  beforeEach(() => {
    made = [];
    shared = new SharedAnswers();
  });
  const ask = (key = 'a'): Promise<string> =>
    shared.of(key, () => {
      const answer = Promise.withResolvers<string>();
      made.push(answer);
      return answer.promise;
    });

  it('is made once at a time, and once more for all who asked meanwhile', async () => {
    const [first, second, third] = [ask(), ask(), ask()];
    expect(made).toHaveLength(1);
    made[0]?.resolve('first');
    await expect(first).resolves.toBe('first');
    await setImmediate();
    expect(made).toHaveLength(2);
    made[1]?.resolve('next');
    await expect(Promise.all([second, third])).resolves.toEqual(['next', 'next']);
    await setImmediate();
    void ask();
    expect(made).toHaveLength(3);
  });

  it('is made apart for another key', () => {
    void ask('a');
    void ask('b');
    expect(made).toHaveLength(2);
  });

  it('is made again where it failed', async () => {
    const [first, second] = [ask(), ask()];
    made[0]?.reject(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await setImmediate();
    made[1]?.resolve('back');
    await expect(second).resolves.toBe('back');
  });
});
