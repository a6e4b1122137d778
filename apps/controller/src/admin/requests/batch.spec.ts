import { describe, expect, it } from '@jest/globals';
import { Batch, type BatchOptions } from './batch.ts';

/** A batch of numbers, and the reads that it makes: each is answered when the test says so. */
function aBatch(options: Partial<BatchOptions<number, number>> = {}) {
  const reads: { readonly queries: readonly number[]; readonly answer: () => void }[] = [];
  const batch = new Batch<number, number>({
    maximumQueries: 3,
    ...options,
    load: (queries) => {
      const { promise, resolve } = Promise.withResolvers<readonly number[]>();
      reads.push({ queries, answer: () => resolve(queries.map((query) => query * 10)) });
      return promise;
    },
  });
  return { batch, reads };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** Longer than any test. */
const forever = 600_000;

describe('Batch', () => {
  it('puts what is asked in one turn into one read, up to its limit', async () => {
    const { batch, reads } = aBatch();
    const answers = Promise.all([1, 2, 3, 4].map((query) => batch.read(query)));
    await turn();
    expect(reads.map(({ queries }) => queries)).toEqual([[1, 2, 3], [4]]);
    for (const { answer } of reads) answer();
    expect(await answers).toEqual([10, 20, 30, 40]);
  });

  it('asks once for what has the same key, and again in the next turn', async () => {
    const { batch, reads } = aBatch({ keyOf: (query) => String(query % 2) });
    const answers = Promise.all([1, 3, 2, 5].map((query) => batch.read(query)));
    await turn();
    expect(reads.map(({ queries }) => queries)).toEqual([[1, 2]]);
    reads[0]?.answer();
    expect(await answers).toEqual([10, 10, 20, 10]);
    void batch.read(1);
    await turn();
    expect(reads.map(({ queries }) => queries)).toEqual([[1, 2], [1]]);
  });

  it('reads what is asked in the next turn beside it, where nothing waits', async () => {
    const { batch, reads } = aBatch();
    void batch.read(1);
    await turn();
    void batch.read(2);
    await turn();
    expect(reads.map(({ queries }) => queries)).toEqual([[1], [2]]);
  });

  it('gathers what is asked while a read is under way, and reads it at its end', async () => {
    const { batch, reads } = aBatch({ maximumWaitMilliseconds: forever });
    const first = batch.read(1);
    await turn();
    const second = batch.read(2);
    await turn();
    const third = batch.read(3);
    await turn();
    expect(reads.map(({ queries }) => queries)).toEqual([[1]]);
    reads[0]?.answer();
    expect(await first).toBe(10);
    expect(reads.map(({ queries }) => queries)).toEqual([[1], [2, 3]]);
    reads[1]?.answer();
    expect(await Promise.all([second, third])).toEqual([20, 30]);
    const fourth = batch.read(4);
    await turn();
    reads[2]?.answer();
    expect(await fourth).toBe(40);
  });

  it('reads it also where the read before fails', async () => {
    const queries: (readonly number[])[] = [];
    const batch = new Batch<number, number>({
      maximumQueries: 3,
      maximumWaitMilliseconds: forever,
      load: async (asked) => {
        queries.push(asked);
        await turn();
        if (asked.includes(1)) throw new Error('damaged');
        return asked;
      },
    });
    const first = batch.read(1);
    await turn();
    const second = batch.read(2);
    await expect(first).rejects.toThrow('damaged');
    expect(await second).toBe(2);
    expect(queries).toEqual([[1], [2]]);
  });

  it('waits no longer than it may for a read that hangs', async () => {
    const { batch, reads } = aBatch({ maximumWaitMilliseconds: 1 });
    void batch.read(1);
    await turn();
    const second = batch.read(2);
    while (reads.length < 2) await turn();
    reads[1]?.answer();
    expect(await second).toBe(20);
  });
});
