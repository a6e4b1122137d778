import { describe, expect, it } from '@jest/globals';
import { aBench, scopes, teams } from '../testing/held-bench.ts';
import { type MemoryBench, request } from '../testing/memory-bench.ts';
import { own } from '../testing/policy-yaml.ts';

const commitOf = (bench: MemoryBench): string | undefined => bench.sync.commit?.hash;

/** Two tenants of which only one ever has anything new; the root is empty. */
async function twoTeams(): Promise<{ readonly bench: MemoryBench; readonly first: string | undefined }> {
  const files = { 'teams/shop/a.yaml': own('a', 20), 'teams/pay/b.yaml': own('b') };
  const bench = await aBench(files, { tenants: teams });
  bench.replicas.set('one/a', 18);
  return { bench, first: commitOf(bench) };
}

describe('the commit in force, with tenants', () => {
  it('is not one that is held or rejected, whatever other tenants have nothing new', async () => {
    const { bench, first } = await twoTeams();
    await bench.commit({ 'teams/shop/a.yaml': own('a', 4) });
    expect([bench.last?.result, commitOf(bench)]).toEqual(['held', first]);
    await bench.commit({ 'teams/shop/a.yaml': own('a', 0) });
    expect([bench.last?.result, commitOf(bench)]).toEqual(['rejected', first]);
    const partial = await bench.commit({ 'teams/pay/b.yaml': own('b', 30) });
    expect([bench.last?.result, commitOf(bench)]).toEqual(['partial', partial]);
  });

  it('is what new commits have to descend from: not one that was held, and replaced by a force-push', async () => {
    const { bench, first = '' } = await twoTeams();
    await bench.commit({ 'teams/shop/a.yaml': own('a', 4) });
    await bench.commit({ 'teams/shop/a.yaml': own('a', 30) }, { parents: [first] });
    expect([bench.last?.result, bench.sync.holds()]).toEqual(['active', []]);
  });

  it('is not that of a resume which is held: ancestry counts from the last one that was followed', async () => {
    const { bench, first = '' } = await twoTeams();
    const second = await bench.commit({ 'teams/shop/a.yaml': own('a', 30) });
    await bench.rollBack(first);
    await bench.commit({ 'teams/shop/a.yaml': own('a', 4) });
    await bench.sync.resume(request);
    expect([scopes(bench), commitOf(bench)]).toEqual([['tenant shop: ScaleInByBound'], first]);
    await bench.commit({ 'teams/shop/a.yaml': own('a', 40) }, { parents: [second] });
    expect([bench.last?.result, bench.sync.holds()]).toEqual(['active', []]);
  });

  it('is not that of a rollback of which nothing came in force', async () => {
    const bench = await aBench(
      { 'teams/shop/a.yaml': own('a', 4), 'teams/pay/b.yaml': own('b') },
      { tenants: teams },
    );
    const first = commitOf(bench) ?? '';
    const second = await bench.commit({ 'teams/shop/a.yaml': own('a', 20) });
    bench.replicas.set('one/a', 18);
    await bench.rollBack(first);
    expect([bench.last?.result, commitOf(bench)]).toEqual(['held', second]);
    await bench.approveAll();
    expect([bench.last?.result, commitOf(bench)]).toEqual(['active', first]);
  });
});
