import { describe, expect, it } from '@jest/globals';
import { mayApprove } from '../approve/may-approve.ts';
import type { FakeChanges } from '../ports/git.fake.ts';
import { scopes } from '../testing/held-bench.ts';
import { MemoryBench } from '../testing/memory-bench.ts';
import { both, max } from '../testing/policy-yaml.ts';

/** Who acts: writes commits, rolls back, resumes, releases. */
const boss = { by: 'boss', email: 'boss@example.com', reason: 'wants it' };

/** One way to put something into force, up to the hold that stops it; none: it needs no second person. */
interface Path {
  readonly name: string;
  readonly steps: (bench: MemoryBench) => Promise<unknown>;
  readonly want: {
    readonly holds: readonly string[];
    readonly bounds: readonly string[];
    /** Who may approve every hold: the one who acts, another person. */
    readonly boss: boolean;
    readonly other: boolean;
  };
}

/** Two revisions in force, and twelve replicas of `a`. */
async function twoRevisions(
  bench: MemoryBench,
): Promise<{ readonly first: string; readonly second: string }> {
  const first = await bench.commit({ 'a.yaml': max('a', 10), 'b.yaml': max('b', 10) });
  const second = await bench.commit({ 'a.yaml': max('a', 20) });
  bench.replicas.set('shop/a', 12).set('shop/b', 1);
  return { first, second };
}

/** Policies `shop/p0`, `shop/p1`, … of one maximum. */
const policies = (count: number, maximum: number): FakeChanges =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`p${index}.yaml`, max(`p${index}`, maximum)]),
  );

const twenty = ['shop/a 1-20', 'shop/b 1-10'];
const byBoss = { author: 'boss' };

/** The branch is reset to the first revision, and the boss commits on top of it. */
async function resetAndCommit(bench: MemoryBench): Promise<string> {
  const { first } = await twoRevisions(bench);
  await bench.commit({ 'a.yaml': max('a', 30) }, { ...byBoss, parents: [first] });
  return first;
}

const guardrail = `apiVersion: plimsoll.dev/v1alpha1
kind: PolicyGuardrail
metadata: { name: g }
spec: { rules: [{ name: ceiling, expression: object.spec.maxReplicas <= 100, message: at most 100 }] }
`;

/** The boss makes the first commit of two tenants; `b` of the second has 40 replicas. */
async function firstOfTenants(bench: MemoryBench, changes: FakeChanges): Promise<void> {
  const tenants = ['shop', 'pay'].map((name) => ({ name, path: name }));
  await bench.restart({ repository: { ...bench.configuration.repository, tenants } });
  bench.replicas.set('shop/b', 40);
  await bench.commit(changes, byBoss);
}

const paths: readonly Path[] = [
  {
    name: 'a commit',
    steps: async (bench) => {
      await twoRevisions(bench);
      await bench.commit({ 'a.yaml': max('a', 2) }, byBoss);
    },
    want: { holds: ['tenant : ScaleInByBound'], bounds: twenty, boss: false, other: true },
  },
  {
    name: 'a newer commit of another person with the same result, whose hold is the same',
    steps: async (bench) => {
      await twoRevisions(bench);
      await bench.commit({ 'a.yaml': max('a', 2) }, byBoss);
      await bench.commit({ 'README.md': 'x' });
    },
    want: { holds: ['tenant : ScaleInByBound'], bounds: twenty, boss: false, other: true },
  },
  {
    name: 'an approval carried to a commit that takes a guardrail away',
    steps: async (bench) => {
      await bench.commit({ 'a.yaml': max('a', 20), 'g.yaml': guardrail });
      bench.origin.commit('Forced', { 'a.yaml': max('a', 21), 'g.yaml': guardrail }, { parents: [] });
      await bench.look();
      bench.origin.commit('Without', { 'a.yaml': max('a', 21) }, { ...byBoss, parents: [] });
      await bench.approveAll();
    },
    want: { holds: ['source: NotDescendant'], bounds: ['shop/a 1-20'], boss: false, other: true },
  },
  {
    name: 'a rollback',
    steps: async (bench) => {
      const { first } = await twoRevisions(bench);
      await bench.sync.rollBack(first, boss);
    },
    want: { holds: [], bounds: both, boss: true, other: true },
  },
  {
    name: 'a rollback to a bound below half of what runs',
    steps: async (bench) => {
      const { first } = await twoRevisions(bench);
      bench.replicas.set('shop/a', 40);
      await bench.sync.rollBack(first, boss);
    },
    want: { holds: ['tenant : ScaleInByBound'], bounds: twenty, boss: false, other: true },
  },
  {
    name: 'a first commit, of a tenant that is held while another comes into force',
    steps: (bench) => firstOfTenants(bench, { 'shop/a.yaml': max('a', 10), 'pay/b.yaml': max('b', 2) }),
    want: { holds: ['tenant pay: ScaleInByBound'], bounds: ['shop/a 1-10'], boss: false, other: true },
  },
  {
    name: 'the correction of a tenant that was rejected while another came into force',
    steps: async (bench) => {
      await firstOfTenants(bench, { 'shop/a.yaml': max('a', 10), 'pay/b.yaml': max('b', 0) });
      await bench.commit({ 'README.md': 'x' });
      await bench.commit({ 'pay/b.yaml': max('b', 2) }, { author: 'sam' });
    },
    want: { holds: ['tenant pay: ScaleInByBound'], bounds: ['shop/a 1-10'], boss: false, other: true },
  },
  {
    name: "a first commit with another person's on top, where nothing was in force",
    steps: async (bench) => {
      bench.replicas.set('shop/a', 40);
      bench.origin.commit('A cut', { 'a.yaml': max('a', 3) }, byBoss);
      await bench.commit({ 'README.md': 'x' });
    },
    want: { holds: ['tenant : ScaleInByBound'], bounds: [], boss: false, other: true },
  },
  {
    name: 'a new tenant on top of what is in force',
    steps: async (bench) => {
      await firstOfTenants(bench, { 'shop/a.yaml': max('a', 10) });
      await bench.commit({ 'pay/b.yaml': max('b', 2) }, { author: 'sam' });
    },
    want: { holds: ['tenant pay: ScaleInByBound'], bounds: ['shop/a 1-10'], boss: true, other: true },
  },
  {
    name: 'a force-push',
    steps: resetAndCommit,
    want: { holds: ['source: NotDescendant'], bounds: twenty, boss: false, other: true },
  },
  {
    name: 'a force-push that becomes a descendant by a rollback, and the resume of the source',
    steps: async (bench) => {
      const first = await resetAndCommit(bench);
      await bench.sync.rollBack(first, boss);
      await bench.sync.resume(boss);
    },
    want: { holds: ['source: NotDescendant'], bounds: both, boss: false, other: true },
  },
  {
    name: 'the same, with restarts between',
    steps: async (bench) => {
      const first = await resetAndCommit(bench);
      await bench.restart();
      await bench.sync.rollBack(first, boss);
      await bench.restart();
      await bench.sync.resume(boss);
      await bench.restart();
      await bench.look();
    },
    want: { holds: ['source: NotDescendant'], bounds: both, boss: false, other: true },
  },
  {
    name: 'the same by two rollbacks',
    steps: async (bench) => {
      const first = await resetAndCommit(bench);
      await bench.sync.rollBack(first, boss);
      await bench.sync.resume(boss);
      await bench.sync.rollBack(first, boss);
      await bench.sync.resume(boss);
    },
    want: { holds: ['source: NotDescendant'], bounds: both, boss: false, other: true },
  },
  {
    name: 'a resume to a commit of the one who resumes, over a bound below half of what runs',
    steps: async (bench) => {
      const { first } = await twoRevisions(bench);
      await bench.sync.rollBack(first, boss);
      await bench.commit({ 'a.yaml': max('a', 2) }, byBoss);
      await bench.sync.resume(boss);
    },
    want: { holds: ['tenant : ScaleInByBound'], bounds: both, boss: false, other: true },
  },
  {
    name: 'a resume to the last revision that followed the ref, of however many targets',
    steps: async (bench) => {
      const first = await bench.commit(policies(30, 10), { author: 'ada' });
      await bench.commit(policies(9, 20), byBoss);
      await bench.commit(policies(18, 20), byBoss);
      for (let index = 0; index < 30; index += 1) bench.replicas.set(`shop/p${index}`, 1);
      await bench.sync.rollBack(first, boss);
      await bench.sync.resume(boss);
    },
    want: {
      holds: [],
      bounds: Array.from({ length: 30 }, (_, index) => `shop/p${index} 1-${index < 18 ? 20 : 10}`).sort(),
      boss: true,
      other: true,
    },
  },
  {
    name: 'a resume to the last revision that followed the ref, over a bound below half of what runs',
    steps: async (bench) => {
      const first = await bench.commit({ 'a.yaml': max('a', 20), 'b.yaml': max('b', 10) });
      bench.replicas.set('shop/a', 12).set('shop/b', 1);
      await bench.commit({ 'a.yaml': max('a', 10) }, byBoss);
      await bench.sync.rollBack(first, boss);
      bench.replicas.set('shop/a', 40);
      await bench.sync.resume(boss);
    },
    want: { holds: ['tenant : ScaleInByBound'], bounds: twenty, boss: false, other: true },
  },
  {
    name: 'the resume of a policy whose document changed while it was released',
    steps: async (bench) => {
      await twoRevisions(bench);
      await bench.sync.release('shop/a', boss);
      await bench.commit({ 'a.yaml': max('a', 2) }, byBoss);
      await bench.commit({ 'README.md': 'x' });
      await bench.sync.resume({ ...boss, policy: 'shop/a' });
    },
    want: { holds: ['tenant : ScaleInByBound'], bounds: ['shop/b 1-10'], boss: false, other: true },
  },
  {
    name: 'the same, released again and with restarts between',
    steps: async (bench) => {
      await twoRevisions(bench);
      await bench.sync.release('shop/a', boss);
      await bench.commit({ 'a.yaml': max('a', 2) }, byBoss);
      await bench.sync.resume({ ...boss, policy: 'shop/a' });
      await bench.restart();
      await bench.sync.release('shop/a', boss);
      await bench.commit({ 'README.md': 'x' });
      await bench.restart();
      await bench.sync.resume({ ...boss, policy: 'shop/a' });
    },
    want: { holds: ['tenant : ScaleInByBound'], bounds: ['shop/b 1-10'], boss: false, other: true },
  },
  {
    name: 'the same, then a rollback to before it was released and a resume of the source',
    steps: async (bench) => {
      const { first } = await twoRevisions(bench);
      await bench.sync.release('shop/a', boss);
      await bench.commit({ 'a.yaml': max('a', 2) }, byBoss);
      await bench.sync.resume({ ...boss, policy: 'shop/a' });
      await bench.sync.rollBack(first, boss);
      await bench.sync.resume(boss);
    },
    want: { holds: ['tenant : ScaleInByBound'], bounds: both, boss: false, other: true },
  },
  {
    name: 'the resume of a policy whose document is as it was, over a bound below half of what runs',
    steps: async (bench) => {
      await twoRevisions(bench);
      await bench.sync.release('shop/a', boss);
      bench.replicas.set('shop/a', 50);
      await bench.sync.resume({ ...boss, policy: 'shop/a' });
    },
    want: { holds: ['tenant : ScaleInByBound'], bounds: ['shop/b 1-10'], boss: false, other: true },
  },
  {
    name: 'a changed source, with a commit under it',
    steps: async (bench) => {
      await twoRevisions(bench);
      bench.origin.commit('More', { 'c.yaml': max('c', 10) }, byBoss);
      await bench.reconfigure({ exclude: ['a.yaml'] });
    },
    want: { holds: ['source: SourceChanged'], bounds: twenty, boss: false, other: true },
  },
  {
    name: 'a restart, on a commit that was held before it',
    steps: async (bench) => {
      await resetAndCommit(bench);
      await bench.restart();
      await bench.look();
    },
    want: { holds: ['source: NotDescendant'], bounds: twenty, boss: false, other: true },
  },
];

describe('what one person alone may not put into force', () => {
  it.each(paths)('comes into force by no path: $name', async ({ steps, want }) => {
    const bench = new MemoryBench();
    await steps(bench);
    const { by: name, email } = boss;
    const mayAll = async (approver: { readonly name: string; readonly email: string }): Promise<boolean> => {
      const all = await Promise.all(bench.sync.holds().map((hold) => bench.sync.participants(hold)));
      return all.every((participants) => mayApprove(approver, participants).isAllowed);
    };
    expect({
      holds: scopes(bench),
      bounds: bench.bounds(),
      boss: await mayAll({ name, email }),
      other: await mayAll({ name: 'olga', email: 'olga@example.com' }),
    }).toEqual(want);
  });

  it('is known by any name of the one who asked', async () => {
    const bench = new MemoryBench();
    const { first } = await twoRevisions(bench);
    bench.replicas.set('shop/a', 40);
    await bench.sync.rollBack(first, { ...boss, forgeLogin: 'Boss' });
    const [hold] = bench.sync.holds();
    const participants = hold === undefined ? undefined : await bench.sync.participants(hold);
    if (participants === undefined) throw new Error('nothing is held');
    const rights = [
      { name: 'boss' },
      { name: 'x', email: 'BOSS@example.com' },
      { name: 'x', email: 'x@example.com', forgeLogin: 'boss' },
      { name: 'x', email: 'x@example.com' },
    ].map((approver) => mayApprove(approver, participants, 'Allowed').isAllowed);
    expect(rights).toEqual([false, false, false, true]);
  });

  it('cannot be approved where only the commits themselves say who wrote them', async () => {
    const bench = new MemoryBench();
    await twoRevisions(bench);
    await bench.restart({ hasForge: false });
    await bench.commit({ 'a.yaml': max('a', 2) }, { author: 'somebody-else' });
    const [hold] = bench.sync.holds();
    const participants = hold === undefined ? undefined : await bench.sync.participants(hold);
    if (participants === undefined) throw new Error('nothing is held');
    const approver = { name: 'boss', email: 'boss@example.com' };
    expect(mayApprove(approver, participants)).toMatchObject({ isAllowed: false, code: 'IdentityUnknown' });
    expect(mayApprove({ name: 'administrator' }, participants)).toMatchObject({
      message: expect.stringContaining('email of its token in auth.tokens'),
    });
    expect(mayApprove(approver, participants, 'Allowed')).toEqual({ isAllowed: true });
  });

  it('counts from the ref again once what follows it is in force', async () => {
    const bench = new MemoryBench();
    const first = await resetAndCommit(bench);
    await bench.sync.rollBack(first, boss);
    await bench.sync.resume(boss);
    await bench.approveAll();
    expect(bench.bounds()).toEqual(['shop/a 1-30', 'shop/b 1-10']);
    await bench.commit({ 'a.yaml': max('a', 40) }, { author: 'sam' });
    expect([scopes(bench), bench.bounds()]).toEqual([[], ['shop/a 1-40', 'shop/b 1-10']]);
  });
});
