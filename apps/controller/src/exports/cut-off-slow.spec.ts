import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { cutOffSlow } from './cut-off-slow.ts';

describe('a reader of texts', () => {
  const megabyte = 'x'.repeat(1_024 * 1_024);
  let isEnded: boolean;
  let cuts: number;
  async function* texts(): AsyncGenerator<string, undefined> {
    try {
      await Promise.resolve();
      yield megabyte;
      yield megabyte;
      return undefined;
    } finally {
      isEnded = true;
    }
  }

  beforeEach(() => {
    isEnded = false;
    cuts = 0;
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([
    { name: 'is waited for while it takes 16 kB per second', seconds: 64 + 59, want: 0 },
    { name: 'is cut off where it takes less', seconds: 66 + 60, want: 1 },
  ])('$name', async ({ seconds, want }) => {
    const taken = cutOffSlow(texts(), () => (cuts += 1));
    await taken.next();
    await taken.next();
    jest.advanceTimersByTime(seconds * 1_000);
    expect(cuts).toBe(want);
  });

  it('has time for bytes, of which letters have several', async () => {
    const letters = (async function* (): AsyncGenerator<string, undefined> {
      await Promise.resolve();
      yield 'ж'.repeat(1_024 * 1_024);
      return undefined;
    })();
    const taken = cutOffSlow(letters, () => (cuts += 1));
    await taken.next();
    await taken.next();
    jest.advanceTimersByTime(120_000);
    expect(cuts).toBe(0);
    jest.advanceTimersByTime(75_000);
    expect(cuts).toBe(1);
  });

  it('has as long for each text', async () => {
    const taken = cutOffSlow(texts(), () => (cuts += 1));
    for (let text = await taken.next(); text.done !== true; text = await taken.next())
      jest.advanceTimersByTime(100_000);
    jest.advanceTimersByTime(1_000_000);
    expect(cuts).toBe(0);
  });

  it('ends what it read from when it goes away, and is cut off no more', async () => {
    const taken = cutOffSlow(texts(), () => (cuts += 1));
    await taken.next();
    await taken.next();
    await taken.return(undefined);
    expect(isEnded).toBe(true);
    jest.advanceTimersByTime(1_000_000);
    expect(cuts).toBe(0);
  });
});
