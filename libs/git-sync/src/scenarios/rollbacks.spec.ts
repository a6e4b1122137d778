import { describe, expect, it, jest } from '@jest/globals';
import type { RepositoryOptions } from '#repository';
import type { SaveSource } from '../source/source-record.ts';
import { aBench, items, scopes, teams } from '../testing/held-bench.ts';
import { type MemoryBench, request } from '../testing/memory-bench.ts';
import { a, b, max, own, policyYaml } from '../testing/policy-yaml.ts';

const policyDefaults = `apiVersion: plimsoll.dev/v1alpha1
kind: PolicyDefaults
metadata: { name: all }
spec: { values: { minReplicas: 1 } }
`;

describe('a rollback', () => {
  const pinMessages = (bench: MemoryBench): readonly string[] =>
    bench.sync
      .holds()
      .flatMap(({ causes }) => causes)
      .filter(({ code }) => code === 'RolledBack')
      .map(({ message }) => message);

  async function twoRevisions(options: Partial<RepositoryOptions> = {}): Promise<{
    readonly bench: MemoryBench;
    readonly first: string;
  }> {
    const bench = await aBench(
      { 'teams/shop/a.yaml': own('a', 4), 'teams/pay/b.yaml': own('b', 4) },
      options,
    );
    const first = bench.sync.commit?.hash ?? '';
    await bench.commit({ 'teams/shop/a.yaml': own('a', 20), 'teams/pay/b.yaml': own('b', 20) });
    return { bench, first };
  }

  it('holds a restored bound below half of what runs, and completes while Git is down, across a restart', async () => {
    const { bench, first } = await twoRevisions();
    bench.replicas.set('one/a', 18).set('one/b', 2);
    bench.origin.isDown = true;
    await bench.rollBack(first);
    expect([bench.last?.result, bench.bounds()]).toEqual(['held', ['one/a 1-20', 'one/b 1-20']]);
    expect(items(bench)).toEqual(['one/a maxReplicas 20 → 4 (18 present)']);
    await bench.restart();
    await bench.look();
    expect(items(bench)).toContain('one/a maxReplicas 20 → 4 (18 present)');
    expect(pinMessages(bench)).toEqual([
      `the rollback to ${first.slice(0, 12)}, not in force, by olga: looked at it`,
    ]);
    const hold = bench.sync.holds().find(({ scope }) => scope.kind === 'Tenant');
    if (hold === undefined) throw new Error('nothing is held');
    await expect(bench.sync.participants(hold)).resolves.toMatchObject({
      commits: [],
      signers: [],
      requesters: [{ by: 'olga' }],
    });
    await bench.approveAll();
    expect([bench.last?.result, bench.bounds()]).toEqual(['active', ['one/a 1-4', 'one/b 1-4']]);
    expect(bench.sync.holds()).toEqual([]);
    await bench.look();
    expect(pinMessages(bench)).toEqual([`rolled back to ${first.slice(0, 12)} by olga: looked at it`]);
  });

  it('counts the policies that are in force afterwards, as a commit does, and not their defaults', async () => {
    const bench = await aBench({ 'd.yaml': policyDefaults, 'a.yaml': a, 'b.yaml': b });
    const first = bench.sync.commit?.hash ?? '';
    await bench.commit({ 'a.yaml': max('a', 30) });
    await bench.rollBack(first);
    const revisions = await bench.store.listRevisions('policies', 10);
    expect(revisions.map(({ details }) => details['tenants'])).toEqual(
      Array(3).fill([expect.objectContaining({ policies: 2 })]),
    );
  });

  it('is a transaction per tenant: the other one goes back, and a new commit comes in force in neither', async () => {
    const { bench, first } = await twoRevisions({ tenants: teams });
    bench.replicas.set('one/a', 18).set('one/b', 2);
    await bench.rollBack(first);
    expect([bench.last?.result, bench.bounds()]).toEqual(['partial', ['one/a 1-20', 'one/b 1-4']]);
    await bench.commit({ 'teams/shop/a.yaml': own('a', 30), 'teams/pay/b.yaml': own('b', 30) });
    expect(bench.bounds()).toEqual(['one/a 1-20', 'one/b 1-4']);
    expect(scopes(bench)).toEqual(['source: RolledBack', 'tenant shop: ScaleInByBound']);
    await bench.sync.resume(request);
    expect([scopes(bench), bench.bounds()]).toEqual([[], ['one/a 1-30', 'one/b 1-30']]);
  });

  it.each(['is asked for', 'is approved'])(
    'is carried out by the next look where the process ends once it %s',
    async (when) => {
      const { bench, first } = await twoRevisions();
      bench.replicas.set('one/a', when === 'is approved' ? 18 : 2).set('one/b', 2);
      if (when === 'is approved') await bench.rollBack(first);
      const digest = bench.sync.holds()[0]?.digest ?? '';
      const saveAndEnd: SaveSource = async (state) => {
        await bench.store.save({ state, revision: null, put: [], end: [], time: bench.clock.now() });
        throw new Error('the process ended');
      };
      const cutOff = bench.sync.inTurn<unknown>((turn) =>
        when === 'is approved'
          ? turn.approve(digest, request, saveAndEnd)
          : turn.rollBack(first, request, saveAndEnd),
      );
      await expect(cutOff).rejects.toThrow('the process ended');
      await bench.restart();
      expect(bench.bounds()).toEqual(['one/a 1-20', 'one/b 1-20']);
      await bench.look();
      expect(bench.bounds()).toEqual(['one/a 1-4', 'one/b 1-4']);
      expect(bench.sync.pin).toMatchObject({ commit: first, by: 'olga' });
      const runs = bench.journal.runs.length;
      await bench.restart();
      await bench.look();
      expect([bench.bounds(), bench.journal.runs.length]).toEqual([['one/a 1-4', 'one/b 1-4'], runs]);
    },
  );

  it('that the database does not take is carried out by the next look, and says so', async () => {
    const { bench, first } = await twoRevisions();
    bench.replicas.set('one/a', 2).set('one/b', 2);
    const { save } = bench.store;
    const saving = jest
      .spyOn(bench.store, 'save')
      .mockImplementation((change) =>
        change.put.length === 0 ? save.call(bench.store, change) : Promise.reject(new Error('away')),
      );
    await bench.rollBack(first);
    expect(bench.last).toMatchObject({
      result: 'failed',
      message: expect.stringMatching(/; the rollback is recorded, and the next look carries it out$/),
    });
    saving.mockRestore();
    await bench.look();
    expect(bench.bounds()).toEqual(['one/a 1-4', 'one/b 1-4']);
  });

  it('is not ended by approving that it holds the source', async () => {
    const { bench, first } = await twoRevisions();
    bench.replicas.set('one/a', 2).set('one/b', 2);
    await bench.rollBack(first);
    await bench.look();
    expect(scopes(bench)).toEqual(['source: RolledBack']);
    await bench.approveAll();
    expect([bench.last?.result, bench.bounds()]).toEqual(['held', ['one/a 1-4', 'one/b 1-4']]);
  });

  it('says before it ends what the look that follows would bring, and changes nothing', async () => {
    const { bench, first } = await twoRevisions();
    bench.replicas.set('one/a', 2).set('one/b', 2);
    await bench.rollBack(first);
    await bench.commit({ 'teams/shop/a.yaml': own('a', 30) });
    const before = [bench.bounds(), scopes(bench), bench.journal.runs.length];
    expect(await bench.sync.rehearseResume(request)).toMatchObject({
      outcome: 'active',
      message: '2 documents changed, 0 left',
      effect: {
        changed: 2,
        policies: ['one/a changed: maxReplicas 4 → 30', 'one/b changed: maxReplicas 4 → 20'],
      },
    });
    expect([bench.bounds(), scopes(bench), bench.journal.runs.length]).toEqual(before);
    expect(bench.sync.pin).not.toBeNull();
    bench.origin.isDown = true;
    expect(await bench.sync.rehearseResume(request)).toMatchObject({
      outcome: 'failed',
      effect: { policies: [] },
    });
    bench.origin.isDown = false;
    await bench.sync.resume(request);
    expect(bench.bounds()).toEqual(['one/a 1-30', 'one/b 1-20']);
  });

  it('does not hide that a commit is rejected', async () => {
    const { bench, first } = await twoRevisions();
    bench.replicas.set('one/a', 2).set('one/b', 2);
    await bench.rollBack(first);
    await bench.commit({ 'teams/shop/a.yaml': 'kind: AutoscalingPolicy\n' });
    expect(bench.last).toMatchObject({
      result: 'rejected',
      message: expect.stringMatching(/^\d+ errors?: /),
    });
    expect(scopes(bench)).toEqual(['source: RolledBack']);
    expect((await bench.look()).message).toMatch(/^still rejected: /);
  });

  it('is refused where another source has the name or the target now', async () => {
    const bench = await aBench({ 'a.yaml': a, 'b.yaml': b });
    const first = bench.sync.commit?.hash ?? '';
    await bench.commit({ 'a.yaml': null });
    await bench.beside('other', { 'a.yaml': max('a', 7) });
    const looked = bench.sync.lastSync;
    await bench.rollBack(first);
    expect([bench.last?.result, bench.codes()]).toEqual(['rejected', ['DuplicateName']]);
    expect(bench.sync.lastSync).toEqual(looked);
    expect([bench.bounds(), bench.sync.pin]).toEqual([['shop/a 1-7', 'shop/b 1-10'], null]);
  });

  it.each([
    { name: 'whole', tenants: [], result: 'rejected', bounds: ['one/b 1-20'], isPinned: false },
    { name: 'for their tenant', tenants: teams, result: 'partial', bounds: ['one/b 1-4'], isPinned: true },
  ])(
    'is refused $name where policies would come back outside the configured namespaces',
    async ({ tenants, result, bounds, isPinned }) => {
      const files = {
        'teams/shop/a.yaml': policyYaml('a', { namespace: 'old' }),
        'teams/shop/s.yaml': own('s'),
      };
      const bench = await aBench({ ...files, 'teams/pay/b.yaml': own('b', 4) }, { tenants });
      const first = bench.sync.commit?.hash ?? '';
      bench.replicas.set('one/b', 2).set('one/s', 2);
      await bench.commit({ 'teams/shop/a.yaml': null, 'teams/pay/b.yaml': own('b', 20) });
      await bench.approveAll();
      await bench.reconfigure({ tenants, managed: { namespaces: ['one'], outside: 'warning' } });
      await bench.approveAll();
      await bench.rollBack(first);
      expect([bench.last?.result, bench.codes()]).toEqual([result, ['NamespaceNotManaged']]);
      expect(bench.last?.message).toContain('old/a would come back outside the configured namespaces (old)');
      expect([bench.bounds(), bench.sync.pin !== null]).toEqual([[...bounds, 'one/s 1-10'], isPinned]);
    },
  );

  it('keeps what is in force outside the configured namespaces, and waits for its approval', async () => {
    const bench = await aBench({ 'a.yaml': policyYaml('a', { namespace: 'old' }), 'b.yaml': own('b', 4) });
    const first = bench.sync.commit?.hash ?? '';
    bench.replicas.set('one/b', 2);
    await bench.commit({ 'b.yaml': own('b', 20) });
    await bench.reconfigure({ managed: { namespaces: ['one'], outside: 'warning' } });
    await bench.rollBack(first);
    expect([bench.last?.result, bench.bounds()]).toEqual(['active', ['old/a 1-10', 'one/b 1-4']]);
  });

  it('holds where it would empty a tenant', async () => {
    const bench = await aBench({ 'teams/pay/b.yaml': own('b') }, { tenants: teams });
    const first = bench.sync.commit?.hash ?? '';
    await bench.commit({ 'teams/shop/a.yaml': own('a'), 'teams/shop/k.yaml': own('k') });
    await bench.rollBack(first);
    expect(scopes(bench)).toEqual(['tenant shop: PruneToEmpty']);
    expect(bench.bounds()).toEqual(['one/a 1-10', 'one/b 1-10', 'one/k 1-10']);
  });

  it('does not bring back what was released', async () => {
    const bench = await aBench({ 'a.yaml': a, 'b.yaml': b });
    const first = bench.sync.commit?.hash ?? '';
    await bench.sync.release('shop/a', request);
    await bench.commit({ 'b.yaml': max('b', 20) });
    bench.replicas.set('shop/b', 3);
    await bench.rollBack(first);
    expect(bench.bounds()).toEqual(['shop/b 1-10']);
  });

  it('is no look: it makes no source stale, and none fresh, and what it came to stands in the place of what one did', async () => {
    const { bench, first } = await twoRevisions();
    const looked = bench.sync.lastSync;
    expect(looked).toMatchObject({ staleSince: null, outcome: { result: 'active' } });
    await bench.rollBack('1'.repeat(40));
    expect([bench.last?.result, bench.sync.lastSync]).toEqual(['failed', looked]);
    bench.origin.isDown = true;
    await bench.look();
    const stale = bench.sync.lastSync;
    expect(stale?.staleSince).toEqual(expect.any(String));
    await bench.rollBack(first);
    expect(bench.sync.lastSync).toEqual({ ...stale, outcome: bench.last });
    expect(bench.last).toMatchObject({ result: 'held', commit: { hash: first } });
  });

  it('says of a commit that was never in force as a whole that it was not', async () => {
    const bench = await aBench({ 'a.yaml': a });
    const rejected = await bench.commit({ 'a.yaml': max('a', 0) });
    await bench.rollBack(rejected);
    expect([bench.last?.result, bench.bounds()]).toEqual(['failed', ['shop/a 1-10']]);
  });
});

describe('how a policy leaves', () => {
  const kept = policyYaml('k').replace(
    'metadata:\n',
    'metadata:\n  annotations: { plimsoll.dev/prune: disabled }\n',
  );
  const released = policyYaml('r').replace(
    'metadata:\n',
    'metadata:\n  annotations: { plimsoll.dev/release: "true" }\n',
  );

  it('records one term a way, in the change and in the version', async () => {
    const bench = await aBench({
      'a.yaml': a,
      'b.yaml': b,
      'k.yaml': kept,
      'r.yaml': policyYaml('r'),
      'm.yaml': policyYaml('m'),
    });
    const first = bench.sync.commit?.hash ?? '';
    const early = bench.clock.now();
    await bench.commit({ 'a.yaml': null, 'k.yaml': null, 'r.yaml': released, 'new.yaml': policyYaml('new') });
    await bench.sync.release('shop/m', request);
    await bench.rollBack(first);
    const left = bench.journal.changes.filter(({ after }) => after === null);
    expect(Object.fromEntries(left.map(({ policy, departure }) => [policy.name, departure]))).toEqual({
      a: 'Pruned',
      k: 'Kept',
      r: 'Released',
      m: 'Released',
      new: 'RolledBack',
    });
    expect(
      bench.journal.changes.filter(({ after, departure }) => after !== null && departure !== null),
    ).toEqual([]);
    const [version] = await bench.store.loadVersionsAt([{ namespace: 'shop', name: 'k', time: early }]);
    expect(version?.departure).toBe('Kept');
  });
});
