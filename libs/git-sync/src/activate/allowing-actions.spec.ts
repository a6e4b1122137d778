import { describe, expect, it } from '@jest/globals';
import type { AllowingAction } from '../ports/revision-store.port.ts';
import { aBench, many, scopes, teams } from '../testing/held-bench.ts';
import { MemoryBench, request } from '../testing/memory-bench.ts';
import { own } from '../testing/policy-yaml.ts';
import { allowingActionsOf } from './allowing-actions.ts';

const verify = { line: 'FirstParent', trusted: {} } as const;
const signature = {
  status: 'Verified',
  by: 'person',
  signer: 'ada@example.com',
  fingerprint: 'SHA256:x',
} as const;

const ben = { by: 'ben', reason: 'so it is' };

/** Of the version in force, as it is looked up: by when it began. */
async function allowedBy(bench: MemoryBench, name: string): Promise<readonly AllowingAction[] | null> {
  const [version] = await bench.store.loadVersionsAt([{ namespace: 'one', name, time: bench.clock.now() }]);
  const [revision] = await bench.store.loadRevisions([
    {
      source: 'policies',
      by: { finishedAt: version?.validFrom ?? '' },
      outcomes: ['active', 'partial'],
    },
  ]);
  return version === undefined || revision === undefined
    ? null
    : allowingActionsOf(revision.details, version);
}

/** `ApproveHold by olga`, in their order. */
async function short(bench: MemoryBench, name: string): Promise<readonly string[] | undefined> {
  return (await allowedBy(bench, name))?.map(({ action, by }) => `${action} by ${by}`);
}

describe('what let a version into force', () => {
  it('is nobody where the commit needed nobody, and the approval where it was held, of its own tenant alone', async () => {
    const bench = await aBench({ ...many('teams/shop', 11), ...many('teams/pay', 11) }, { tenants: teams });
    expect(await allowedBy(bench, 'teams-shop0')).toEqual([]);
    await bench.commit({ ...many('teams/shop', 11, 20), ...many('teams/pay', 11, 20) });
    const held = bench.sync.holds();
    const digestOf = (tenant: string): string =>
      held.find(({ scope }) => scope.kind === 'Tenant' && scope.tenant === tenant)?.digest ?? '';
    await bench.sync.approve(digestOf('shop'), request);
    const approvedAt = bench.clock.now();
    expect(await allowedBy(bench, 'teams-pay0')).toEqual([]);
    bench.clock.advance(60_000);
    await bench.sync.approve(digestOf('pay'), ben);
    expect(await allowedBy(bench, 'teams-shop0')).toEqual([
      { action: 'ApproveHold', ...request, time: approvedAt, digest: digestOf('shop') },
    ]);
    expect(await short(bench, 'teams-pay0')).toEqual(['ApproveHold by ben']);
    await bench.commit({ 'teams/pay/0.yaml': own('teams-pay0', 21) });
    expect(await allowedBy(bench, 'teams-pay0')).toEqual([]);
  });

  it('is not the approval of another tenant that came into force by the same look', async () => {
    const files = { 'teams/shop/s.yaml': own('s', 20), 'teams/pay/p.yaml': own('p') };
    const bench = await aBench(files, { tenants: teams });
    bench.replicas.set('one/s', 15).set('one/p', 2);
    await bench.commit({ 'teams/shop/s.yaml': own('s', 5) });
    expect(scopes(bench)).toEqual(['tenant shop: ScaleInByBound']);
    bench.origin.commit('Grow', { 'teams/pay/p.yaml': own('p', 12) });
    const [hold] = bench.sync.holds();
    await bench.sync.approve(hold?.digest ?? '', ben);
    expect(bench.bounds()).toEqual(['one/p 1-12', 'one/s 1-5']);
    expect(await short(bench, 's')).toEqual(['ApproveHold by ben']);
    expect(await short(bench, 'p')).toEqual([]);
  });

  it('is the approval of an unverified commit, and of what else was held of it', async () => {
    const bench = new MemoryBench({ namespace: 'one' });
    await bench.restart({ verify });
    await bench.commit({ 'a.yaml': own('a', 20) }, { signature });
    bench.replicas.set('one/a', 15);
    await bench.commit({ 'a.yaml': own('a', 5) });
    expect(scopes(bench)).toEqual(['source: Unverified', 'tenant : ScaleInByBound']);
    const source = bench.sync.holds().find(({ scope }) => scope.kind === 'Source')?.digest ?? '';
    await bench.sync.approve(source, request);
    const [tenant] = bench.sync.holds();
    await bench.sync.approve(tenant?.digest ?? '', ben);
    expect(bench.bounds()).toEqual(['one/a 1-5']);
    expect(await short(bench, 'a')).toEqual(['ApproveHold by olga', 'ApproveHold by ben']);
    bench.replicas.set('one/a', 5);
    await bench.commit({ 'a.yaml': own('a', 6) }, { signature });
    expect(await allowedBy(bench, 'a')).toEqual([]);
  });

  it('names an approval once that answered the missing signature and another cause', async () => {
    const bench = new MemoryBench({ namespace: 'one' });
    await bench.restart({ verify });
    const base = await bench.commit({ 'a.yaml': own('a') }, { signature });
    await bench.commit({ 'README.yaml': 'x: 1' }, { signature });
    bench.replicas.set('one/a', 2);
    bench.origin.commit('Forced', { 'a.yaml': own('a', 20) }, { parents: [base] });
    await bench.look();
    expect(scopes(bench)).toEqual(['source: NotDescendant, Unverified']);
    const [hold] = bench.sync.holds();
    await bench.sync.approve(hold?.digest ?? '', ben);
    expect(await allowedBy(bench, 'a')).toEqual([
      { action: 'ApproveHold', ...ben, time: bench.clock.now(), digest: hold?.digest },
    ]);
  });

  it('is the rollback, when it was asked for, and the approval of what it held', async () => {
    const bench = await aBench({ 'teams/pay/b.yaml': own('b', 4) }, { tenants: teams });
    const first = bench.sync.commit?.hash ?? '';
    await bench.commit({ 'teams/pay/b.yaml': own('b', 20) });
    await bench.approveAll();
    bench.replicas.set('one/b', 15);
    await bench.rollBack(first);
    const asked = bench.clock.now();
    expect(scopes(bench)).toEqual(['tenant pay: ScaleInByBound']);
    bench.clock.advance(60_000);
    const [hold] = bench.sync.holds();
    await bench.sync.approve(hold?.digest ?? '', ben);
    expect(bench.bounds()).toEqual(['one/b 1-4']);
    expect(await allowedBy(bench, 'b')).toEqual([
      { action: 'RollBackSource', ...request, time: asked, digest: null },
      { action: 'ApproveHold', ...ben, time: bench.clock.now(), digest: hold?.digest },
    ]);
  });

  it('is the resumption of a source for what had not come since its rollback, and for nothing later', async () => {
    const bench = await aBench(
      { 'teams/pay/b.yaml': own('b', 4), 'teams/shop/s.yaml': own('s') },
      { tenants: teams },
    );
    const first = bench.sync.commit?.hash ?? '';
    bench.replicas.set('one/b', 2).set('one/s', 2);
    await bench.commit({ 'teams/pay/b.yaml': own('b', 20), 'teams/shop/s.yaml': own('s', 20) });
    await bench.rollBack(first);
    // Its shop cannot follow yet.
    bench.origin.commit('Broken', { 'teams/shop/s.yaml': own('s', 0) });
    bench.clock.advance(60_000);
    await bench.sync.resume(ben);
    expect(bench.bounds()).toEqual(['one/b 1-20', 'one/s 1-10']);
    const resumed = { action: 'ResumeSource', ...ben, time: bench.clock.now(), digest: null };
    expect(await allowedBy(bench, 'b')).toEqual([resumed]);
    expect(await short(bench, 's')).toEqual(['RollBackSource by olga']);
    await bench.commit({ 'teams/pay/b.yaml': own('b', 21), 'teams/shop/s.yaml': own('s', 21) });
    expect(bench.bounds()).toEqual(['one/b 1-21', 'one/s 1-21']);
    expect(await allowedBy(bench, 'b')).toEqual([]);
    expect(await allowedBy(bench, 's')).toEqual([resumed]);
  });

  it('is who took back the release of the policy, and of others nobody', async () => {
    const bench = await aBench({ 'a.yaml': own('a'), 'b.yaml': own('b') });
    bench.replicas.set('one/a', 2).set('one/b', 2);
    await bench.sync.release('one/a', request);
    bench.origin.commit('Grow', { 'b.yaml': own('b', 20) });
    bench.clock.advance(60_000);
    await bench.sync.resume({ ...ben, policy: 'one/a' });
    expect(bench.bounds()).toEqual(['one/a 1-10', 'one/b 1-20']);
    expect(await allowedBy(bench, 'a')).toEqual([
      { action: 'ResumeSource', ...ben, time: bench.clock.now(), digest: null },
    ]);
    expect(await allowedBy(bench, 'b')).toEqual([]);
  });

  it('is not known of a revision that an earlier release stored, and has no reason where one resumed', async () => {
    const version = { role: 'Policy', tenant: '', namespace: 'one', name: 'a', file: 'a.yaml' } as const;
    expect(allowingActionsOf({}, version)).toBeNull();
    const bench = await aBench({ 'a.yaml': own('a') });
    const first = bench.sync.commit?.hash ?? '';
    bench.replicas.set('one/a', 2);
    await bench.commit({ 'a.yaml': own('a', 20) });
    await bench.rollBack(first);
    await bench.sync.inTurn(async () => {
      const [state] = await bench.store.listSources();
      if (state === undefined) throw new Error('no source is stored');
      const followed = {
        commit: state.commit?.hash ?? null,
        tenants: state.tenants,
        resumedBy: { by: 'eve' },
      };
      const brakes = { ...state.brakes, pin: null, followed };
      const time = bench.clock.now();
      await bench.store.save({ state: { ...state, brakes }, revision: null, put: [], end: [], time });
    });
    await bench.restart();
    await bench.look();
    expect(await allowedBy(bench, 'a')).toEqual([
      { action: 'ResumeSource', by: 'eve', reason: '', time: null, digest: null },
    ]);
  });
});
