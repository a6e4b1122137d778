import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PassBench } from './support/pass-bench.ts';
import { SyncBench } from './support/sync-bench.ts';
import type { Changes } from './support/temporary-repository.ts';

const tenants = [
  { name: 'blue', path: 'teams/blue', namespaces: ['shop'] },
  { name: 'green', path: 'teams/green', namespaces: ['shop'] },
];
const request = { by: 'olga', reason: 'a test' };

const policy = (name: string, spec = ''): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: ${name}, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  maxReplicas: 9
${spec}`;
const byOwner = '  selectionStrategy: OwnerReference\n';
const defaults = `apiVersion: plimsoll.dev/v1alpha1
kind: PolicyDefaults
metadata: { name: fleet }
spec: { values: { selectionStrategy: OwnerReference } }
`;

let bench: SyncBench;
let passes: PassBench;
/** Subjects of the commits, by hash. */
let subjects: Map<string, string>;

beforeEach(async () => {
  bench = await SyncBench.create({ tenants });
  passes = new PassBench(bench);
  subjects = new Map();
  await passes.start();
});
afterEach(() => bench.remove());

async function commit(subject: string, changes: Changes): Promise<string> {
  const hash = await bench.origin.commit(subject, changes);
  subjects.set(hash, subject);
  await bench.sync.sync();
  await passes.pass();
  return hash;
}

async function changesOf(name: string): Promise<readonly string[]> {
  const changes = await passes.strategyChanges('shop', name);
  return changes.map(
    ({ field, before, after, commit: by }) =>
      `${field} ${String(before)} → ${after}, ${subjects.get(by?.hash ?? '') ?? 'no commit'}`,
  );
}

const added = 'selectionStrategy null → LabelSelector, Add';
const narrowed = 'selectionStrategy LabelSelector → OwnerReference, Narrow';

describe('the strategy changes of a policy', () => {
  it('name the commit of the document, also where a rollback brought it back', async () => {
    const first = await commit('Add', { 'teams/blue/web.yaml': policy('web') });
    await commit('Narrow', { 'teams/blue/web.yaml': policy('web', byOwner) });
    await bench.sync.rollBack(first, request);
    await passes.pass();
    const rolledBack = 'selectionStrategy OwnerReference → LabelSelector, Add';
    expect(await changesOf('web')).toEqual([added, narrowed, rolledBack]);
    await bench.sync.resume(request);
    await passes.pass();
    expect(await changesOf('web')).toEqual([added, narrowed, rolledBack, narrowed]);
  });

  it('begin anew when a released policy is taken back', async () => {
    await commit('Add', { 'teams/blue/web.yaml': policy('web') });
    await bench.sync.release('shop/web', request);
    await passes.pass();
    expect(await changesOf('web')).toEqual([added]);
    await bench.sync.resume({ ...request, policy: 'shop/web' });
    await passes.pass();
    expect(await changesOf('web')).toHaveLength(2);
    expect((await passes.strategyChanges('shop', 'web')).at(-1)).toMatchObject({ before: null });
  });

  it('begin anew when a pruned policy is added again', async () => {
    await commit('Add', { 'teams/blue/web.yaml': policy('web'), 'teams/blue/b.yaml': beside });
    await commit('Prune', { 'teams/blue/web.yaml': null });
    expect(await changesOf('web')).toEqual([added]);
    await commit('Add again', { 'teams/blue/web.yaml': policy('web', byOwner) });
    expect(await changesOf('web')).toEqual([added, 'selectionStrategy null → OwnerReference, Add again']);
  });

  it('begin anew under another name, and leave the old one’s as they were', async () => {
    await commit('Add', { 'teams/blue/web.yaml': policy('web') });
    await commit('Rename', { 'teams/blue/web.yaml': policy('www') });
    expect(await changesOf('web')).toEqual([added]);
    expect(await changesOf('www')).toEqual(['selectionStrategy null → LabelSelector, Rename']);
  });

  it('are none when its file moves, within a tenant or to another', async () => {
    await commit('Add', { 'teams/blue/web.yaml': policy('web') });
    await commit('Move', { 'teams/blue/web.yaml': null, 'teams/blue/x/web.yaml': policy('web') });
    await commit('Hand over', { 'teams/blue/x/web.yaml': null, 'teams/green/web.yaml': policy('web') });
    expect(bench.active.listActivePolicies()[0]?.origin.file).toBe('teams/green/web.yaml');
    expect(await changesOf('web')).toEqual([added]);
  });

  it('report what a move changes on the way', async () => {
    await commit('Add', { 'teams/blue/web.yaml': policy('web') });
    await commit('Hand over', {
      'teams/blue/web.yaml': null,
      'teams/green/web.yaml': policy('web', byOwner),
    });
    expect(await changesOf('web')).toEqual([
      added,
      'selectionStrategy LabelSelector → OwnerReference, Hand over',
    ]);
  });

  it('name the commit of the defaults that changed it', async () => {
    await commit('Add', { 'teams/blue/web.yaml': policy('web') });
    await commit('Set defaults', { 'defaults.yaml': defaults });
    expect(await changesOf('web')).toEqual([
      added,
      'selectionStrategy LabelSelector → OwnerReference, Set defaults',
    ]);
  });

  it('are not reported for a commit that is refused or changes nothing of it', async () => {
    await commit('Add', { 'teams/blue/web.yaml': policy('web') });
    await commit('Break', { 'teams/blue/web.yaml': policy('web', `${byOwner}  minReplicas: 99\n`) });
    await commit('Bounds', { 'teams/blue/web.yaml': policy('web', '  minReplicas: 2\n') });
    expect(await changesOf('web')).toEqual([added]);
  });

  it('and their events come once, whatever restarts follow', async () => {
    await commit('Add', { 'teams/blue/web.yaml': policy('web') });
    await commit('Narrow', {
      'teams/blue/web.yaml': policy('web', `${byOwner}  enabled: true\n`),
    });
    for (let restart = 0; restart < 2; restart += 1) {
      await bench.restart();
      await passes.start();
      await passes.pass();
      await bench.sync.sync();
      await passes.pass();
    }
    expect(await changesOf('web')).toEqual([added, narrowed]);
    const reasons = passes.events.emitted.map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason.includes('Strategy'))).toEqual([
      'StrategyChanged',
      'SelectionStrategyActive',
    ]);
  });
});

/** So that nothing empties the source. */
const beside = policy('beside').replace('name: web }', 'name: beside }');
