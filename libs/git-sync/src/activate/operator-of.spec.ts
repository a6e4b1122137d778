import { beforeEach, describe, expect, it } from '@jest/globals';
import { aBench } from '../testing/held-bench.ts';
import { type MemoryBench, request } from '../testing/memory-bench.ts';
import { own } from '../testing/policy-yaml.ts';

let bench: MemoryBench;
let first: string;

beforeEach(async () => {
  bench = await aBench({ 'a.yaml': own('a', 4), 'b.yaml': own('b', 4) });
  first = bench.sync.commit?.hash ?? '';
  bench.replicas.set('one/a', 2).set('one/b', 2).set('one/c', 2);
  await bench.commit({ 'a.yaml': own('a', 20), 'c.yaml': own('c', 4) });
});

/** Of the policies that the last work changed: how each left, and who did it in place of the commit. */
async function operatorsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const before = bench.journal.changes.length;
  await work();
  return bench.journal.changes
    .slice(before)
    .map(
      ({ policy, departure, operator }) =>
        `${policy.name} ${departure ?? 'stays'}: ${operator === undefined ? 'the commit' : `${operator.action} ${operator.by} ${operator.reason}`}`,
    )
    .sort();
}

const olga = `${request.by} ${request.reason}`;

describe('the operator of a change', () => {
  it('is whoever rolled back, of what changed and of what left', async () => {
    expect(await operatorsOf(() => bench.rollBack(first))).toEqual([
      `a stays: RollBackSource ${olga}`,
      `c RolledBack: RollBackSource ${olga}`,
    ]);
  });

  it('is whoever released a policy by its name, and whoever took that back; of the rest of a commit nobody', async () => {
    bench.origin.commit('Grow', { 'b.yaml': own('b', 30) });
    expect(await operatorsOf(() => bench.sync.release('one/a', request))).toEqual([
      `a Released: ReleasePolicy ${olga}`,
      'b stays: the commit',
    ]);
    const version = { namespace: 'one', name: 'a', limit: 1 };
    const [released = []] = await bench.store.loadVersions([version]);
    expect(released[0]?.version.removedByOperator).toEqual({ action: 'ReleasePolicy', ...request });
    const ben = { by: 'ben', reason: 'back' };
    expect(await operatorsOf(() => bench.sync.resume({ ...ben, policy: 'one/a' }))).toEqual([
      'a stays: ResumeSource ben back',
    ]);
  });

  it.each([
    { name: 'a rollback', work: () => bench.rollBack(first), want: `c RolledBack: RollBackSource ${olga}` },
    {
      name: 'a release',
      work: () => bench.sync.release('one/c', request),
      want: `c Released: ReleasePolicy ${olga}`,
    },
  ])('is known where the ledger refused the entries of $name at first', async ({ work, want }) => {
    bench.journal.faults.push('Refused');
    await work();
    expect(await operatorsOf(() => bench.look())).toContain(want);
  });
});
