import { describe, expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import { maximumPoliciesPerRead, type PolicyKey, recordDamaged } from '#ledger';
import { forEachRecord } from './recorded-policies.ts';

const policies: readonly PolicyKey[] = Array.from({ length: 6 * maximumPoliciesPerRead - 1 }, (_, index) => ({
  namespace: 'shop',
  name: `web-${index}`,
}));

/** Reads that a test answers, in any order. */
function heldReads() {
  const reads: {
    readonly some: readonly PolicyKey[];
    readonly answer: () => void;
    readonly fail: () => void;
  }[] = [];
  const load = (some: readonly PolicyKey[]): Promise<readonly PolicyKey[]> =>
    new Promise((resolve, reject) => {
      reads.push({ some, answer: () => resolve(some), fail: () => reject(new Error('the ledger is away')) });
    });
  return { reads, load };
}

describe('forEachRecord', () => {
  it('visits what is read in the order of the policies, with a few reads on their way', async () => {
    const { reads, load } = heldReads();
    const visited: PolicyKey[] = [];
    const ended = forEachRecord(policies, load, { visit: (policy) => visited.push(policy) });
    expect(reads).toHaveLength(4);
    for (let at = 3; at >= 0; at -= 1) reads[at]?.answer();
    while (reads.length < 6) await Promise.resolve();
    for (const { answer } of reads) answer();
    await ended;
    expect(visited).toEqual(policies);
    expect(reads.map(({ some }) => some.length)).toEqual([
      ...Array.from({ length: 5 }, () => maximumPoliciesPerRead),
      maximumPoliciesPerRead - 1,
    ]);
  });

  it('visits nothing of a read that comes after one that fails', async () => {
    const { reads, load } = heldReads();
    const visited: PolicyKey[] = [];
    const ended = forEachRecord(policies, load, { visit: (policy) => visited.push(policy) });
    reads[0]?.answer();
    reads[1]?.fail();
    reads[2]?.fail();
    await expect(ended).rejects.toThrow('the ledger is away');
    expect(visited).toHaveLength(maximumPoliciesPerRead);
  });

  it('visits all but those that cannot be read, in the order of the policies', async () => {
    const damaged = new Set([policies[3], policies[4], policies.at(-1)]);
    const reads: number[] = [];
    const load = (some: readonly PolicyKey[]): Promise<readonly PolicyKey[]> => {
      reads.push(some.length);
      return some.some((policy) => damaged.has(policy))
        ? Promise.reject(new AdapterError({ code: recordDamaged, message: 'no JSON', retryable: false }))
        : Promise.resolve(some);
    };
    const visited: PolicyKey[] = [];
    const noted: unknown[] = [];
    await forEachRecord(policies, load, {
      visit: (policy) => visited.push(policy),
      noteDamaged: (policy, { message }) => noted.push([policy, message]),
    });
    expect(visited).toEqual(policies.filter((policy) => !damaged.has(policy)));
    expect(noted).toEqual([...damaged].map((policy) => [policy, 'no JSON']));
    expect(reads.length).toBeLessThan(60);
  });

  it('reads nothing where there is no policy', async () => {
    const { reads, load } = heldReads();
    await forEachRecord([], load, { visit: () => undefined });
    expect(reads).toEqual([]);
  });
});
