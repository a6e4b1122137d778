import { describe, expect, it } from '@jest/globals';
import { mayApprove } from '../approve/may-approve.ts';
import type { FakeChanges } from '../ports/git.fake.ts';
import { aBench, ending, items, many, rootDefaults, scopes, teams } from '../testing/held-bench.ts';
import { MemoryBench, request } from '../testing/memory-bench.ts';
import { a, b, both, max, native, own, policyYaml } from '../testing/policy-yaml.ts';

describe('BlastRadius', () => {
  it.each([
    { name: '10 of 20: not more than 10', active: 20, changed: 10, held: [] },
    { name: '11 of 110: not more than 10 %', active: 110, changed: 11, held: [] },
    { name: '11 of 109', active: 109, changed: 11, held: ['tenant : BlastRadius'] },
  ])('$name', async ({ active, changed, held }) => {
    const bench = await aBench(many('p', active));
    await bench.commit(many('p', changed, 20));
    expect(scopes(bench)).toEqual(held);
    expect(ending(bench, '-20')).toBe(held.length === 0 ? changed : 0);
  });

  it('counts targets that are new and that are gone, and no file that moved with equal values', async () => {
    const bench = await aBench(many('p', 30));
    await bench.commit({
      ...Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`p/${index}.yaml`, null])),
      ...Object.fromEntries(
        Array.from({ length: 30 }, (_, index) => [`moved/${index}.yaml`, own(`p${index}`)]),
      ),
    });
    expect(bench.last?.result).toBe('active');
    await bench.commit({
      ...many('new', 6),
      ...Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`moved/${index}.yaml`, null])),
    });
    expect(scopes(bench)).toEqual(['tenant : BlastRadius']);
    expect(items(bench).filter((item) => item.endsWith(' new'))).toHaveLength(6);
    expect(items(bench).filter((item) => item.endsWith(' gone'))).toHaveLength(5);
  });

  it('counts per source, holds the tenants that have counted targets, and lets the others advance', async () => {
    const tenants = [...teams, { name: 'calm', path: 'teams/calm', namespace: 'one' }];
    const bench = await aBench(
      { ...many('teams/shop', 6), ...many('teams/pay', 6), 'teams/calm/c.yaml': own('c') },
      { tenants },
    );
    await bench.commit({
      ...many('teams/shop', 6, 20),
      ...many('teams/pay', 6, 20),
      'teams/calm/README.yaml': 'x: 1\n',
    });
    expect(scopes(bench)).toEqual(['tenant pay: BlastRadius', 'tenant shop: BlastRadius']);
    const [state] = await bench.store.listSources();
    expect(state?.tenants['calm']).not.toBe(state?.tenants['shop']);
    expect(ending(bench, '-20')).toBe(0);
  });

  it('does not count rejected tenants', async () => {
    const bench = await aBench({ ...many('teams/shop', 8), ...many('teams/pay', 8) }, { tenants: teams });
    await bench.commit({
      ...many('teams/shop', 8, 20),
      ...many('teams/pay', 8, 20),
      'teams/pay/x.yaml': own('x', 0),
    });
    expect([bench.last?.result, bench.codes()]).toEqual(['partial', ['OutOfRange']]);
    expect(ending(bench, '-20')).toBe(8);
  });

  it('holds the root with the targets that it changed', async () => {
    const policies = (folder: string): FakeChanges =>
      Object.fromEntries(
        Array.from({ length: 6 }, (_, index) => [
          `teams/${folder}/${index}.yaml`,
          native(`${folder}${index}`, '  minReplicas: 1\n').replace(', namespace: shop', ''),
        ]),
      );
    const bench = await aBench(
      { ...policies('shop'), ...policies('pay'), 'd.yaml': rootDefaults(10) },
      { tenants: teams },
    );
    await bench.commit({ 'd.yaml': rootDefaults(20) });
    expect(scopes(bench)).toEqual([
      'tenant : BlastRadius',
      'tenant pay: BlastRadius',
      'tenant shop: BlastRadius',
    ]);
    expect(ending(bench, '-10')).toBe(12);
    await bench.approveAll();
    expect([bench.last?.result, ending(bench, '-20')]).toEqual(['active', 12]);
  });

  it('exempts the first activation and a rollback', async () => {
    const bench = await aBench(many('p', 30));
    const [first] = await bench.store.listRevisions('policies', 1);
    for (const step of [0, 10, 20])
      await bench.commit(Object.fromEntries(Object.entries(many('p', 30, 20)).slice(step, step + 10)));
    expect(ending(bench, '-20')).toBe(30);
    for (let index = 0; index < 30; index += 1) bench.replicas.set(`one/p${index}`, 5);
    await bench.rollBack(first?.commit.hash ?? '');
    expect([bench.last?.result, ending(bench, '-10')]).toEqual(['active', 30]);
  });
});

describe('ScaleInByBound', () => {
  const schedule = (bound: number): string =>
    `  maxReplicas: 20\n  schedules: [{ name: night, cron: '0 20 * * *', timeZone: UTC, duration: 8h, maxReplicas: ${bound} }]\n`;

  it.each([
    {
      name: 'a maximum below half',
      to: '  maxReplicas: 4\n',
      present: 9,
      items: ['shop/a maxReplicas 20 → 4 (9 present)'],
    },
    { name: 'a maximum of half', to: '  maxReplicas: 4\n', present: 8, items: [] },
    {
      name: 'a maximum lowered while the count is not known',
      to: '  maxReplicas: 19\n',
      items: ['shop/a maxReplicas 20 → 19 (unknown present)'],
    },
    { name: 'a maximum raised while the count is not known', to: '  maxReplicas: 21\n', items: [] },
    {
      name: "a schedule's maximum below half",
      to: schedule(4),
      present: 9,
      items: ['shop/a schedule night maxReplicas 20 → 4 (9 present)'],
    },
    {
      name: "a schedule's maximum while the count is not known",
      to: schedule(19),
      items: ['shop/a schedule night maxReplicas 20 → 19 (unknown present)'],
    },
    {
      name: 'a restored count below half',
      to: '  maxReplicas: 20\n  enabled: false\n  replicas: 4\n',
      present: 9,
      items: ['shop/a replicas 20 → 4 (9 present)'],
    },
    {
      name: 'a disabled policy that restores nothing',
      to: '  maxReplicas: 2\n  enabled: false\n',
      present: 9,
      items: [],
    },
  ])('$name', async ({ to, present, items: want }) => {
    const bench = await aBench({ 'a.yaml': native('a', '  maxReplicas: 20\n'), 'b.yaml': b });
    if (present !== undefined) bench.replicas.set('shop/a', present);
    await bench.commit({ 'a.yaml': native('a', to) });
    expect(items(bench)).toEqual(want);
    expect(bench.last?.result).toBe(want.length === 0 ? 'active' : 'held');
  });

  describe('in steps', () => {
    const maximum = (bound: number) => ({ 'a.yaml': native('a', `  maxReplicas: ${bound}\n`) });
    /** Ten replicas, and a commit that took four of them. */
    const lowered = async (): Promise<{ readonly bench: MemoryBench; readonly at: string }> => {
      const bench = await aBench({ ...maximum(10), 'b.yaml': b });
      bench.replicas.set('shop/a', 10);
      await bench.commit(maximum(6));
      const at = bench.clock.now();
      scaledTo(bench, 6);
      return { bench, at };
    };
    const scaledTo = ({ clock, recorded, replicas }: MemoryBench, count: number): void => {
      clock.advance(1_000);
      const from = replicas.get('shop/a') ?? 0;
      recorded.scalings.push({ policy: { namespace: 'shop', name: 'a' }, from, time: clock.now() });
      replicas.set('shop/a', count);
    };

    it('adds up what commits took within an hour, also after a restart', async () => {
      const { bench, at } = await lowered();
      await bench.restart();
      await bench.commit(maximum(4));
      expect(items(bench)).toEqual([`shop/a maxReplicas 6 → 4 (6 present, 10 at ${at})`]);
      expect([bench.last?.result, bench.codes()]).toEqual(['held', ['ScaleInByBound']]);
    });

    it('keeps such a commit held after the hour, and one that replaces it', async () => {
      const { bench } = await lowered();
      await bench.commit(maximum(4));
      bench.clock.advance(2 * 3_600_000);
      await bench.look();
      expect(bench.codes()).toEqual(['ScaleInByBound']);
      await bench.commit(maximum(3));
      expect(bench.codes()).toEqual(['ScaleInByBound']);
      await bench.approveAll();
      expect([bench.last?.result, bench.bounds()]).toContainEqual(expect.arrayContaining(['shop/a 1-3']));
    });

    it('lets a step through that comes an hour after the one before, and one of half', async () => {
      const { bench } = await lowered();
      await bench.commit(maximum(5));
      expect(bench.last?.result).toBe('active');
      scaledTo(bench, 5);
      bench.clock.advance(3_600_000);
      await bench.commit(maximum(3));
      expect(bench.last?.result).toBe('active');
    });

    it('leaves out what metrics took', async () => {
      const bench = await aBench({ ...maximum(40), 'b.yaml': b });
      bench.replicas.set('shop/a', 40);
      scaledTo(bench, 4);
      await bench.commit(maximum(3));
      expect(bench.last?.result).toBe('active');
    });

    it('lets another change of the policy through, and a bound that takes nothing more', async () => {
      const { bench } = await lowered();
      await bench.commit(maximum(4));
      await bench.approveAll();
      scaledTo(bench, 5);
      await bench.commit({ 'a.yaml': native('a', '  minReplicas: 2\n  maxReplicas: 4\n') });
      expect(bench.last?.result).toBe('active');
      scaledTo(bench, 3);
      await bench.commit(maximum(3));
      expect(bench.last?.result).toBe('active');
    });

    it('holds a rollback that is a further step', async () => {
      const bench = await aBench({ ...maximum(4), 'b.yaml': b });
      const [first] = await bench.store.listRevisions('policies', 1);
      await bench.commit(maximum(10));
      bench.replicas.set('shop/a', 10);
      await bench.commit(maximum(6));
      scaledTo(bench, 6);
      await bench.rollBack(first?.commit.hash ?? '');
      expect(bench.codes()).toContain('ScaleInByBound');
    });
  });

  it('looks at a new policy on a target that runs already, also at the first activation', async () => {
    const bench = new MemoryBench();
    bench.replicas.set('shop/a', 30);
    await bench.commit({ 'a.yaml': a, 'b.yaml': b });
    expect([scopes(bench), items(bench)]).toEqual([
      ['tenant : ScaleInByBound'],
      ['shop/a maxReplicas new → 10 (30 present)'],
    ]);
    expect(bench.bounds()).toEqual([]);
  });

  it('holds a new policy whose target cannot be read, until it can', async () => {
    const bench = new MemoryBench();
    bench.unreadable.add('shop/a');
    await bench.commit({ 'a.yaml': a });
    expect([scopes(bench), items(bench)]).toEqual([
      ['tenant : ScaleInByBound'],
      ['shop/a maxReplicas new → 10 (unknown present)'],
    ]);
    bench.replicas.set('shop/a', 12);
    await bench.look();
    expect([bench.last?.result, bench.bounds()]).toEqual(['active', ['shop/a 1-10']]);
  });

  it('holds the root that lowers a bound, also where the same commit touches the document', async () => {
    const policy = (label: string): string =>
      native('a', '  minReplicas: 1\n').replace('metadata: {', `metadata: { labels: { v: ${label} },`);
    const bench = await aBench(
      { 'teams/shop/a.yaml': policy('one'), 'teams/pay/b.yaml': own('b'), 'd.yaml': rootDefaults(20) },
      { tenants: teams },
    );
    bench.replicas.set('shop/a', 20);
    await bench.commit({ 'teams/shop/a.yaml': policy('two'), 'd.yaml': rootDefaults(2) });
    expect(scopes(bench)).toEqual(['tenant shop: ScaleInByBound']);
    expect(bench.bounds()).toEqual(['one/b 1-10', 'shop/a 1-20']);
  });
});

describe('PruneToEmpty and NothingTaken', () => {
  it('holds a tenant of more than one policy, and not a tenant of one', async () => {
    const files = {
      'teams/shop/a.yaml': own('a'),
      'teams/shop/k.yaml': own('k'),
      'teams/pay/b.yaml': own('b'),
    };
    const bench = await aBench(files, { tenants: teams });
    await bench.commit({ 'teams/pay/b.yaml': null });
    expect([bench.last?.result, bench.bounds()]).toEqual(['active', ['one/a 1-10', 'one/k 1-10']]);
    const other = await aBench(files, { tenants: teams });
    await other.commit({ 'teams/shop/a.yaml': null, 'teams/shop/k.yaml': null });
    expect(scopes(other)).toEqual(['tenant shop: PruneToEmpty']);
    expect(other.bounds()).toEqual(['one/a 1-10', 'one/b 1-10', 'one/k 1-10']);
  });

  it('holds a first activation of nothing, with counts by cause; what follows is the first activation still', async () => {
    const bench = new MemoryBench({ namespace: 'one' });
    await bench.commit({
      'x/kustomization.yaml': 'kind: Kustomization\nnamePrefix: p-\nresources: [a.yaml]\n',
      'x/a.yaml': a,
    });
    expect([scopes(bench), items(bench)]).toEqual([['source: NothingTaken'], ['NeedsRendering 1']]);
    await bench.commit(many('p', 30));
    expect([bench.last?.result, bench.bounds().length]).toEqual(['active', 30]);
  });

  it('calls a first commit with an error rejected, and holds nothing', async () => {
    const bench = new MemoryBench();
    await bench.commit({ 'a.yaml': max('a', 0) });
    expect([bench.last?.result, bench.codes()]).toEqual(['rejected', ['OutOfRange']]);
  });

  it('calls a first commit rejected whose only policies are in a tenant with an error', async () => {
    const bench = new MemoryBench({ tenants: teams });
    await bench.commit({ 'teams/shop/a.yaml': own('a', 0) });
    expect([bench.last?.result, bench.codes()]).toEqual(['rejected', ['OutOfRange']]);
    await bench.commit({ 'teams/shop/a.yaml': own('a') });
    expect([bench.last?.result, bench.bounds()]).toEqual(['active', ['one/a 1-10']]);
  });
});

describe('NotDescendant', () => {
  it('holds a force-push, an unrelated ref, and another URL whatever it has', async () => {
    for (const change of [
      (bench: MemoryBench) => bench.commit({ 'a.yaml': max('a', 20) }, { parents: [] }),
      async (bench: MemoryBench) => {
        bench.origin.commit(
          'Else',
          { 'a.yaml': max('a', 20), 'b.yaml': b },
          { ref: 'refs/heads/else', parents: [] },
        );
        const { location } = bench.configuration;
        await bench.restart({ location: { ...location, ref: 'refs/heads/else' } });
        await bench.look();
      },
      async (bench: MemoryBench) => {
        const { location } = bench.configuration;
        bench.git.mirror('file:///mirror', location.url);
        await bench.restart({ location: { ...location, url: 'file:///mirror' } });
        await bench.commit({ 'a.yaml': max('a', 20) });
      },
    ]) {
      const bench = await aBench({ 'a.yaml': a, 'b.yaml': b });
      await change(bench);
      expect([bench.last?.result, scopes(bench)]).toEqual(['held', ['source: NotDescendant']]);
      expect(bench.bounds()).toEqual(both);
      await bench.restart();
      await bench.look();
      expect(bench.bounds()).toEqual(both);
      const [hold] = bench.sync.holds();
      if (hold === undefined) throw new Error('nothing is held');
      expect((await bench.sync.participants(hold)).commits.length).toBeGreaterThan(0);
      await bench.approveAll();
      expect(ending(bench, '-20')).toBe(1);
    }
  });

  it('says that what is in force is gone, where a clone that was made after a force-push does not have it', async () => {
    const bench = await aBench({ 'a.yaml': a, 'b.yaml': b });
    const { location } = bench.configuration;
    bench.git.mirror('file:///mirror', location.url);
    bench.origin.commit('Else', { 'a.yaml': max('a', 20) }, { ref: location.ref, parents: [] });
    await bench.restart({ location: { ...location, url: 'file:///mirror' } });
    await bench.look();
    const [cause] = bench.sync.holds().flatMap(({ causes }) => causes);
    expect(cause?.message).toMatch(
      /^\w+ does not descend from \w+, which is in force and is not in the history of the remote any more$/,
    );
  });

  it('holds where a branch takes the place of another by name, and takes one that descends', async () => {
    const bench = await aBench({ 'a.yaml': a, 'b.yaml': b });
    const { location } = bench.configuration;
    bench.origin.point('refs/heads/next', bench.origin.head('refs/heads/main'));
    await bench.restart({ location: { ...location, ref: 'refs/heads/next' } });
    bench.origin.commit('Next', { 'a.yaml': max('a', 20) }, { ref: 'refs/heads/next' });
    await bench.look();
    expect([bench.last?.result, ending(bench, '-20')]).toEqual(['active', 1]);
  });
});

describe('verdicts', () => {
  it('keeps hold and approval for a newer commit of the same result and causes; any other replaces them', async () => {
    const bench = await aBench({ 'a.yaml': a, 'b.yaml': b });
    bench.replicas.set('shop/a', 10);
    await bench.commit({ 'a.yaml': max('a', 4) });
    const [first] = bench.sync.holds();
    await bench.commit({ 'README.yaml': 'x: 1\n' });
    const [same] = bench.sync.holds();
    expect([same?.digest, same?.since]).toEqual([first?.digest, first?.since]);
    await bench.commit({ 'a.yaml': max('a', 3) });
    const outcome = await bench.sync.approve(first?.digest ?? '', request);
    expect([outcome, bench.bounds()]).toEqual([null, both]);
    await bench.commit({ 'a.yaml': max('a', 4) });
    expect([bench.last?.result, bench.bounds()]).toEqual(['held', both]);
  });

  it('uses an approval up: the same result another day is held again', async () => {
    const bench = await aBench({ 'a.yaml': a });
    await bench.commit({ 'a.yaml': null });
    await bench.approveAll();
    expect(bench.bounds()).toEqual([]);
    await bench.commit({ 'a.yaml': a });
    expect(bench.bounds()).toEqual(['shop/a 1-10']);
    await bench.commit({ 'a.yaml': null });
    expect([scopes(bench), bench.bounds()]).toEqual([['source: PruneToEmpty'], ['shop/a 1-10']]);
  });

  it('keeps what waits beside what was approved', async () => {
    const bench = await aBench(
      { 'teams/shop/a.yaml': own('a'), 'teams/pay/b.yaml': own('b') },
      { tenants: teams },
    );
    bench.replicas.set('one/a', 10).set('one/b', 10);
    await bench.commit({ 'teams/shop/a.yaml': own('a', 2), 'teams/pay/b.yaml': own('b', 2) });
    const hold = bench.sync.holds().find(({ scope }) => scope.kind === 'Tenant' && scope.tenant === 'shop');
    await bench.sync.approve(hold?.digest ?? '', request);
    expect([scopes(bench), bench.bounds()]).toEqual([
      ['tenant pay: ScaleInByBound'],
      ['one/a 1-2', 'one/b 1-10'],
    ]);
  });

  it('does not lose an approval, a release or a rollback that comes while a sync runs', async () => {
    const bench = await aBench({ 'a.yaml': a, 'b.yaml': b, 'c.yaml': policyYaml('c') });
    const first = (await bench.store.listRevisions('policies', 1))[0]?.commit.hash ?? '';
    await bench.commit({ 'c.yaml': max('c', 20) });
    await bench.commit({ 'a.yaml': null, 'b.yaml': null, 'c.yaml': null });
    const [hold] = bench.sync.holds();
    const running = bench.sync.sync();
    const approved = bench.sync.approve(hold?.digest ?? '', request);
    await Promise.all([running, approved]);
    expect(bench.bounds()).toEqual([]);
    const syncs = [bench.sync.sync(), bench.sync.sync()];
    const rolledBack = bench.sync.rollBack(first, request);
    const released = bench.sync.release('shop/a', request);
    await Promise.all([...syncs, rolledBack, released]);
    expect(bench.bounds()).toEqual(['shop/b 1-10', 'shop/c 1-10']);
    expect(bench.sync.pin?.commit).toBe(first);
  });

  it('puts one of two sources in force that bring one name at the same time', async () => {
    const bench = new MemoryBench();
    bench.origin.commit('One', { 'a.yaml': a });
    const { configuration } = bench;
    const other = bench.source({
      ...configuration,
      location: { ...configuration.location, source: 'other', url: 'file:///other' },
    });
    bench.git.remote('file:///other').commit('Two', { 'a.yaml': max('a', 20), 'b.yaml': b });
    const results = (await Promise.all([bench.sync.sync(), other.sync()])).map(({ result }) => result);
    expect(results.sort()).toEqual(['active', 'rejected']);
    expect(new Set(bench.bounds().map((text) => text.split(' ')[0])).size).toBe(bench.bounds().length);
  });

  it('puts many sources in force that start at the same time', async () => {
    const bench = new MemoryBench();
    const { configuration } = bench;
    const sources = Array.from({ length: 12 }, (_, index) => {
      const url = `file:///s${index}`;
      bench.git.remote(url).commit('One', { 'a.yaml': policyYaml(`p${index}`) });
      return bench.source({
        ...configuration,
        location: { ...configuration.location, source: `s${index}`, url },
      });
    });
    const outcomes = await Promise.all(sources.map((source) => source.sync()));
    expect(outcomes.map(({ result }) => result)).toEqual(sources.map(() => 'active'));
    expect(bench.bounds()).toHaveLength(12);
  });

  it('asks everybody since what the held tenant has in force, whatever came in force beside it', async () => {
    const bench = await aBench(
      { 'teams/shop/a.yaml': own('a'), 'teams/pay/b.yaml': own('b') },
      { tenants: teams },
    );
    bench.replicas.set('one/a', 10);
    await bench.commit({ 'teams/shop/a.yaml': own('a', 2) }, { author: 'sam' });
    await bench.commit({ 'teams/pay/b.yaml': own('b', 20) }, { author: 'kim' });
    const [hold] = bench.sync.holds();
    if (hold === undefined) throw new Error('nothing is held');
    const participants = await bench.sync.participants(hold);
    const rights = ['sam', 'kim', 'olga'].map(
      (name) => mayApprove({ name, email: `${name}@example.com` }, participants).isAllowed,
    );
    expect(rights).toEqual([false, false, true]);
  });
});

describe('signatures', () => {
  const verify = { line: 'FirstParent', trusted: {} } as const;
  const signed = {
    status: 'Verified',
    by: 'person',
    signer: 'ada@example.com',
    fingerprint: 'SHA256:x',
  } as const;

  it('accepts a hash, and no later commit of the same result', async () => {
    const bench = new MemoryBench();
    await bench.restart({ verify });
    await bench.commit({ 'a.yaml': a, 'b.yaml': b }, { signature: signed });
    const unsigned = await bench.commit({ 'b.yaml': max('b', 20) });
    expect([scopes(bench), items(bench)]).toEqual([['source: Unverified'], [unsigned]]);
    const [hold] = bench.sync.holds();
    const later = await bench.commit({ 'README.yaml': 'x: 1\n' });
    await bench.sync.approve(hold?.digest ?? '', request);
    expect(items(bench)).toEqual([later, unsigned]);
    expect(bench.bounds()).toEqual(both);
    await bench.approveAll();
    expect(bench.bounds()).toEqual(['shop/a 1-10', 'shop/b 1-20']);
  });

  it('looks at every commit since the last verified and activated one, rejected ones between included', async () => {
    const bench = new MemoryBench();
    await bench.restart({ verify });
    await bench.commit({ 'a.yaml': a, 'b.yaml': b }, { signature: signed });
    const unsigned = await bench.commit({ 'a.yaml': max('a', 0) });
    await bench.commit({ 'a.yaml': a }, { signature: signed });
    expect([scopes(bench), items(bench)]).toEqual([['source: Unverified'], [unsigned]]);
  });

  it.each([
    { line: 'Head', held: 0 },
    { line: 'FirstParent', held: 0 },
    { line: 'Every', held: 1 },
  ] as const)('looks at $line of a merge of an unsigned branch', async ({ line, held }) => {
    const bench = new MemoryBench();
    await bench.restart({ verify: { line, trusted: {} } });
    const first = await bench.commit({ 'a.yaml': a, 'b.yaml': b }, { signature: signed });
    const side = bench.origin.commit(
      'Side',
      { 'c.yaml': policyYaml('c') },
      { ref: 'refs/heads/side', parents: [first] },
    );
    await bench.commit({ 'c.yaml': policyYaml('c') }, { signature: signed, parents: [first, side] });
    expect(items(bench)).toEqual(held === 0 ? [] : [side]);
  });

  it('looks at everything since the merge base after a force-push', async () => {
    const bench = new MemoryBench();
    await bench.restart({ verify });
    const base = await bench.commit({ 'a.yaml': a, 'b.yaml': b }, { signature: signed });
    await bench.commit({ 'README.yaml': 'x: 1' }, { signature: signed });
    const unsigned = bench.origin.commit('Forced', { 'a.yaml': max('a', 20) }, { parents: [base] });
    const head = await bench.commit({ 'a.yaml': max('a', 30) }, { signature: signed });
    expect(scopes(bench)).toEqual(['source: NotDescendant, Unverified']);
    expect(items(bench)).toEqual([expect.any(String), head, unsigned]);
  });

  it('does not take a release for the activation of a held commit', async () => {
    const bench = new MemoryBench();
    await bench.restart({ verify });
    await bench.commit({ 'a.yaml': a, 'b.yaml': b }, { signature: signed });
    const unsigned = await bench.commit({ 'b.yaml': max('b', 20) });
    await bench.sync.release('shop/a', request);
    await bench.commit({ 'c.yaml': policyYaml('c') }, { signature: signed });
    expect([items(bench), bench.bounds()]).toEqual([[unsigned], ['shop/b 1-10']]);
  });

  it('holds a repository that does not have the last verified commit', async () => {
    const bench = new MemoryBench();
    await bench.restart({ verify });
    await bench.commit({ 'a.yaml': a }, { signature: signed });
    await bench.commit({ 'b.yaml': b }, { signature: signed });
    const { location } = bench.configuration;
    await bench.restart({ location: { ...location, url: 'file:///elsewhere' } });
    await bench.commit({ 'a.yaml': max('a', 20), 'b.yaml': b }, { signature: signed });
    expect(scopes(bench)).toEqual(['source: NotDescendant, Unverified']);
    const [hold] = bench.sync.holds();
    if (hold === undefined) throw new Error('nothing is held');
    await expect(bench.sync.participants(hold)).resolves.toMatchObject({ commits: [{ hash: hold.commit }] });
    await bench.approveAll();
    expect([bench.last?.result, bench.sync.holds()]).toEqual(['active', []]);
  });

  it('keeps what the check of each commit found with the revision', async () => {
    const bench = new MemoryBench();
    await bench.restart({ verify });
    const hash = await bench.commit({ 'a.yaml': a, 'b.yaml': b }, { signature: signed });
    const unsigned = await bench.commit({ 'b.yaml': max('b', 20) });
    const [held, first] = await bench.store.listRevisions('policies', 2);
    expect(first?.details['signatures']).toEqual([
      { commit: hash, ...signed, reason: null, accepted: false },
    ]);
    expect(held?.details['signatures']).toEqual([
      {
        commit: unsigned,
        status: 'Unsigned',
        by: null,
        signer: null,
        fingerprint: null,
        reason: null,
        accepted: false,
      },
    ]);
  });
});
