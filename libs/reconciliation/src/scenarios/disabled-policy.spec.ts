import { describe, expect, it } from '@jest/globals';
import type { EffectivePolicy } from '#policy';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { scaleTargetOf } from '../policies/scale-target.ts';
import type { Reconciler } from '../reconciler.ts';
import { aNativeAutoscaler } from '../testing/a-native-autoscaler.ts';
import { flushMicrotasks, World } from '../testing/a-world.ts';

const key = 'shop/checkout';

/** A policy with 4 replicas that was carried out once. */
async function anEnabledPolicy(
  changes: Partial<EffectivePolicy> = {},
): Promise<{ readonly world: World; readonly checkout: ActivePolicy; readonly reconciler: Reconciler }> {
  const world = new World();
  const checkout = world.add({ replicas: 2, ...changes }, 4);
  world.proposes(checkout, 4);
  const reconciler = await world.start();
  await world.pass(reconciler);
  return { world, checkout, reconciler };
}

function change(world: World, { policy, ...rest }: ActivePolicy, changes: Partial<EffectivePolicy>): void {
  world.activePolicies.policies = [{ ...rest, policy: { ...policy, ...changes } }];
}

describe('a policy that is disabled', () => {
  it('restores its replicas, once, as an intent beside the change', async () => {
    const { world, checkout, reconciler } = await anEnabledPolicy();
    change(world, checkout, { enabled: false });
    for (let pass = 0; pass < 3; pass += 1) await world.pass(reconciler);
    expect(world.scale.writes).toEqual([{ target: 'shop/Deployment/checkout', from: 4, to: 2 }]);
    expect(world.ledger.kindsOf('shop', 'checkout').slice(0, 6)).toEqual([
      'StrategyChange',
      'Decision',
      'StrategyChange',
      'Decision',
      'ScalingIntent',
      'ScalingEvent',
    ]);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([
      { from: 4, to: 2, reason: 'the policy was disabled: its replicas are restored' },
    ]);
    expect(world.log.lines.map(({ text }) => text)).toContain(
      'shop/checkout 4 → 2  the policy was disabled: its replicas are restored  (a1b2c3d Add checkout policy)',
    );
    // A person may scale it now, and a later value writes nothing.
    world.scale.set({ namespace: 'shop', apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' }, 5);
    change(world, checkout, { enabled: false, replicas: 7 });
    await world.pass(reconciler);
    await world.pass(await world.start());
    expect(world.replicasOf(checkout)).toBe(5);
  });

  it.each(['Yes', 'No'] as const)('restores once across a crash in the write (made: %s)', async (taken) => {
    const { world, checkout, reconciler } = await anEnabledPolicy();
    change(world, checkout, { enabled: false });
    world.scale.faults.push({ kind: 'Hangs', taken });
    world.clock.advance(15_000);
    void reconciler.sweep();
    await flushMicrotasks();
    const next = await world.start();
    for (let pass = 0; pass < 3; pass += 1) await world.pass(next);
    expect(world.replicasOf(checkout)).toBe(2);
    expect(world.scale.writes).toHaveLength(1);
    expect(world.ledger.states.get(`policy:${key}`)?.strategy?.restoreReplicas).toBeNull();
  });

  it('waits for the end of a freeze', async () => {
    const { world, checkout, reconciler } = await anEnabledPolicy();
    change(world, checkout, { enabled: false });
    world.windows.windows = [{ kind: 'Freeze', name: 'release', direction: 'Down' }];
    await world.pass(reconciler);
    expect(world.reports.outcomesOf(key).at(-1)).toBe('Waiting/RestoreDelayed');
    expect(world.replicasOf(checkout)).toBe(4);
    expect(world.log.lines.at(-1)?.text).toMatch(/^shop\/checkout 4 → 2  the policy was disabled: /);
    world.windows.windows = [];
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(2);
  });

  it.each([
    { name: 'in a dry run', policy: { dryRun: true }, options: {} },
    { name: 'in mode Observe', policy: {}, options: { mode: 'Observe' } as const },
    { name: 'without replicas', policy: { replicas: undefined }, options: {} },
  ])('restores nothing $name', async ({ policy, options }) => {
    const world = new World();
    world.options = { ...world.options, ...options };
    const { replicas, ...rest } = { replicas: 2, ...policy };
    const checkout = world.add({ ...rest, ...(replicas === undefined ? {} : { replicas }) }, 4);
    world.proposes(checkout, 4);
    const reconciler = await world.start();
    await world.pass(reconciler);
    change(world, checkout, { enabled: false });
    for (let pass = 0; pass < 2; pass += 1) await world.pass(reconciler);
    expect(world.scale.writes).toEqual([]);
  });

  it('restores nothing where it comes in disabled, or after a lost ledger', async () => {
    const world = new World();
    const checkout = world.add({ replicas: 2, enabled: false }, 4);
    const reconciler = await world.start();
    for (let pass = 0; pass < 2; pass += 1) await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(4);
  });
});

describe('what a disabled policy has yet to restore', () => {
  const b = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'b' };
  const freeze = { kind: 'Freeze', name: 'release', direction: 'Both' } as const;

  it.each([
    { name: 'in the commit that disables it', delayed: false },
    { name: 'while a freeze delays it', delayed: true },
  ])('is not restored on another target that it gets $name', async ({ delayed }) => {
    const { world, checkout, reconciler } = await anEnabledPolicy();
    world.scale.set({ namespace: 'shop', ...b }, 40);
    if (delayed) {
      world.windows.windows = [freeze];
      change(world, checkout, { enabled: false });
      await world.pass(reconciler);
      expect(world.reports.outcomesOf(key).at(-1)).toBe('Waiting/RestoreDelayed');
      world.windows.windows = [];
    }
    change(world, checkout, { enabled: false, target: b });
    for (let pass = 0; pass < 3; pass += 1) await world.pass(reconciler);
    await world.pass(await world.start());
    expect(world.scale.writes).toEqual([]);
    expect(world.ledger.payloadsOf('StrategyChange').at(-1)).toMatchObject({
      field: 'enabled',
      after: 'false',
    });
  });

  it('is not restored on a target that was made anew', async () => {
    const { world, checkout, reconciler } = await anEnabledPolicy();
    world.windows.windows = [freeze];
    change(world, checkout, { enabled: false });
    await world.pass(reconciler);
    world.windows.windows = [];
    world.scale.replace(scaleTargetOf(checkout.policy), 7);
    for (let pass = 0; pass < 2; pass += 1) await world.pass(reconciler);
    expect(world.scale.writes).toEqual([]);
  });

  it.each([
    { name: 'crashed', isCrash: true },
    { name: 'lost its answer', isCrash: false },
  ])('is over where its write was made and $name, whatever others scaled since', async ({ isCrash }) => {
    const { world, checkout, reconciler } = await anEnabledPolicy();
    change(world, checkout, { enabled: false });
    world.scale.faults.push(isCrash ? { kind: 'Hangs', taken: 'Yes' } : { kind: 'Lost', taken: 'Yes' });
    world.clock.advance(15_000);
    void reconciler.sweep();
    await flushMicrotasks();
    world.scale.set(scaleTargetOf(checkout.policy), 9, { manager: 'ada' });
    const next = isCrash ? await world.start() : reconciler;
    for (let pass = 0; pass < 3; pass += 1) await world.pass(next);
    expect(world.replicasOf(checkout)).toBe(9);
    expect(world.scale.writes).toEqual([{ target: 'shop/Deployment/checkout', from: 4, to: 2 }]);
  });

  it('is over where its policy comes into force only after its write was found out about', async () => {
    const { world, checkout, reconciler } = await anEnabledPolicy();
    change(world, checkout, { enabled: false });
    const { policies } = world.activePolicies;
    world.scale.faults.push({ kind: 'Hangs', taken: 'Yes' });
    world.clock.advance(15_000);
    void reconciler.sweep();
    await flushMicrotasks();
    world.scale.set(scaleTargetOf(checkout.policy), 9, { manager: 'ada' });
    world.activePolicies.policies = [];
    const next = await world.start();
    world.activePolicies.policies = policies;
    for (let pass = 0; pass < 3; pass += 1) await world.pass(next);
    expect(world.replicasOf(checkout)).toBe(9);
  });

  it('is given up where a live HPA has the target: what that scales is never undone', async () => {
    const { world, checkout, reconciler } = await anEnabledPolicy();
    world.nativeAutoscalers.set('shop', [aNativeAutoscaler({ name: 'helm' })]);
    change(world, checkout, { enabled: false });
    await world.pass(reconciler);
    expect(world.reports.outcomesOf(key).at(-1)).toBe('Stalled/Conflict');
    expect(world.reports.reports.at(-1)?.outcome.message).toContain(
      'not restored, now or later: HorizontalPodAutoscaler helm',
    );
    expect(world.ledger.states.get(`policy:${key}`)?.strategy?.restoreReplicas ?? null).toBeNull();
    world.nativeAutoscalers.set('shop', []);
    for (let pass = 0; pass < 2; pass += 1) await world.pass(reconciler);
    expect(world.scale.writes).toEqual([]);
    expect(world.reports.outcomesOf(key).at(-1)).toBe('Done/Unchanged');
  });

  it('is given up where another autoscaler has the target', async () => {
    const { world, checkout, reconciler } = await anEnabledPolicy();
    const target = scaleTargetOf(checkout.policy);
    const competitor = { kind: 'ScaledObject', name: 'keda', target, manager: null } as const;
    world.competingAutoscalers.competitors = [competitor];
    change(world, checkout, { enabled: false });
    await world.pass(reconciler);
    world.competingAutoscalers.competitors = [];
    await world.pass(reconciler);
    expect(world.scale.writes).toEqual([]);
  });
});
