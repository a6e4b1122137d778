import { describe, expect, it } from '@jest/globals';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { scaleTargetOf } from '../policies/scale-target.ts';
import type { ReplicaChange } from '../ports/replica-changes.port.ts';
import { flushMicrotasks, queryOf, World } from '../testing/a-world.ts';

/** The changes of replicas in the ledger, oldest first. */
function recorded(world: World): readonly string[] {
  return world.ledger
    .payloadsOf('ScalingEvent')
    .map(
      ({ from, to, manager }) =>
        `${Number(from)} → ${Number(to)} by ${JSON.stringify(manager).replaceAll('"', '')}`,
    );
}

/** A policy with what its target has, so that nothing is to be done. */
function content(world: World): ActivePolicy {
  const checkout = world.add({}, 4);
  world.proposes(checkout, 4);
  return checkout;
}

describe('changes by others', () => {
  it.each([
    {
      name: 'in mode Observe, where every decision asks for a change',
      options: { mode: 'Observe' } as const,
    },
    { name: 'after a write of ours', options: {} },
  ])('between a restart and the first pass are recorded $name', async ({ options }) => {
    const world = new World();
    world.options = { ...world.options, ...options };
    const checkout = world.add({}, 4);
    world.proposes(checkout, 6);
    await world.pass(await world.start());
    world.scale.set(scaleTargetOf(checkout.policy), 8, { manager: 'helm' });
    world.ledger.entriesInOrder.length = 0;
    const from = options.mode === 'Observe' ? 4 : 6;
    await world.pass(await world.start());
    expect(recorded(world)[0]).toBe(`${from} → 8 by helm`);
  });

  it('during an outage of the ledger are recorded one by one when it is back', async () => {
    const world = new World();
    const checkout = content(world);
    const target = scaleTargetOf(checkout.policy);
    const reconciler = await world.start();
    await world.pass(reconciler);
    world.ledger.outage = 'Broken';
    world.scale.set(target, 7, { manager: 'ada' });
    await world.pass(reconciler);
    world.scale.set(target, 5, { manager: 'grace' });
    world.scale.set(target, 9, { manager: 'ada' });
    await world.pass(reconciler);
    world.ledger.outage = null;
    world.proposes(checkout, 9);
    await world.pass(reconciler);
    await world.pass(reconciler);
    expect(recorded(world)).toEqual(['4 → 7 by ada', '7 → 5 by grace', '5 → 9 by ada']);
  });

  it('while the record of our own write has no answer are recorded beside it', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    world.proposes(checkout, 6);
    const reconciler = await world.start();
    world.ledger.faults.push(null, 'Broken');
    await world.pass(reconciler);
    world.scale.set(scaleTargetOf(checkout.policy), 9, { manager: 'ada' });
    world.proposes(checkout, 9);
    await world.pass(reconciler);
    expect(recorded(world)).toEqual(['4 → 6 by plimsoll', '6 → 9 by ada']);
  });

  it('while a pass waits for its metrics are recorded by the next, also there and back', async () => {
    const world = new World();
    const checkout = content(world);
    const target = scaleTargetOf(checkout.policy);
    const reconciler = await world.start();
    await world.pass(reconciler);
    world.metrics.set(queryOf(checkout.policy), { kind: 'Hangs' });
    world.clock.advance(15_000);
    const pass = reconciler.sweep();
    await flushMicrotasks();
    world.scale.set(target, 3, { manager: 'ada' });
    world.scale.set(target, 5, { manager: 'grace' });
    world.scale.set(target, 4, { manager: 'ada' });
    world.clock.advance(20_000);
    await pass;
    world.proposes(checkout, 4);
    await world.pass(reconciler);
    expect(recorded(world)).toEqual(['4 → 3 by ada', '3 → 5 by grace', '5 → 4 by ada']);
  });

  it('between the scale that was read and our write are recorded before it', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    world.proposes(checkout, 6);
    const reconciler = await world.start();
    world.scale.faults.push({ kind: 'Overtaken', replicas: 5 });
    await world.pass(reconciler);
    expect(recorded(world)).toEqual(['4 → 5 by kubectl', '5 → 6 by plimsoll']);
  });

  it('that a slow watch reports late are recorded in their order', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    world.proposes(checkout, 6);
    const reconciler = await world.start();
    await world.pass(reconciler);
    world.replicaChanges.lag();
    const target = scaleTargetOf(checkout.policy);
    world.scale.set(target, 9, { manager: 'ada' });
    world.scale.set(target, 5, { manager: 'grace' });
    world.clock.advance(15_000);
    const pass = reconciler.sweep();
    await flushMicrotasks();
    for (let second = 0; second < 12; second += 1) {
      world.clock.advance(1_000);
      await flushMicrotasks();
    }
    await pass;
    expect(world.replicasOf(checkout)).toBe(6);
    expect(recorded(world)).toEqual(['4 → 6 by plimsoll']);
    world.replicaChanges.catchUp();
    await world.pass(reconciler);
    expect(recorded(world).slice(1)).toEqual(['6 → 9 by ada', '9 → 5 by grace', '5 → 6 by plimsoll']);
  });

  it('are in the account that a restart goes on from, and recorded once', async () => {
    const world = new World();
    const checkout = content(world);
    const reconciler = await world.start();
    await world.pass(reconciler);
    world.scale.set(scaleTargetOf(checkout.policy), 7, { manager: 'ada' });
    world.proposes(checkout, 7);
    world.ledger.faults.push('LostAfterStoring');
    world.clock.advance(15_000);
    void reconciler.sweep();
    await flushMicrotasks();
    await world.pass(await world.start());
    await world.pass(await world.start());
    expect(recorded(world)).toEqual(['4 → 7 by ada']);
  });
});

describe('an append whose answer is lost', () => {
  it.each([
    { name: 'the decision and its intent', faults: ['LostAfterStoring'] as const },
    { name: 'the outcome of the write', faults: [null, 'LostAfterStoring'] as const },
    {
      name: 'the outcome, during an outage',
      faults: [null, 'LostAfterStoring', 'Broken', 'Broken'] as const,
    },
  ])('of $name is stored once', async ({ faults }) => {
    const world = new World();
    const checkout = world.add({}, 4);
    world.proposes(checkout, 6);
    const reconciler = await world.start();
    world.ledger.faults.push(...faults);
    for (let pass = 0; pass < 3; pass += 1) await world.pass(reconciler);
    expect(recorded(world)).toEqual(['4 → 6 by plimsoll']);
    expect(world.ledger.payloadsOf('ScalingIntent')).toHaveLength(1);
    expect(world.ledger.payloadsOf('Decision').filter(({ decision }) => isScaling(decision))).toHaveLength(1);
  });
});

describe('a policy that leaves and comes back while its pass runs', () => {
  it('begins when that pass has ended, and its state is not deleted', async () => {
    const world = new World();
    const checkout = content(world);
    world.metrics.set(queryOf(checkout.policy), { kind: 'Hangs' });
    const reconciler = await world.start();
    world.clock.advance(15_000);
    const pass = reconciler.sweep();
    await flushMicrotasks();
    world.activePolicies.policies = [];
    await reconciler.sweep();
    world.activePolicies.policies = [checkout];
    world.clock.advance(15_000);
    await reconciler.sweep();
    // The new policy's pass would have asked for metrics, too.
    expect(world.metrics.queries).toHaveLength(1);
    world.proposes(checkout, 4);
    world.clock.advance(5_000);
    await pass;
    await world.pass(reconciler);
    expect(world.ledger.states.get('policy:shop/checkout')?.lastDecision).not.toBeNull();
    // Of the version that had ended nothing is recorded.
    expect(world.ledger.kindsOf('shop', 'checkout').slice(0, 2)).toEqual(['StrategyChange', 'Decision']);
  });
});

describe('a target that is made anew', () => {
  it('starts a new account, and what happened to the old one before is recorded', async () => {
    const world = new World();
    const checkout = content(world);
    const target = scaleTargetOf(checkout.policy);
    const reconciler = await world.start();
    await world.pass(reconciler);
    const old: ReplicaChange = {
      target,
      uid: 'uid-of-checkout',
      from: 4,
      fromVersion: '149',
      to: 6,
      manager: 'ada',
      time: '2026-11-20T12:00:20Z',
      resourceVersion: '150',
    };
    world.replicaChanges.report(old);
    world.scale.replace(target, 1);
    world.proposes(checkout, 1);
    await world.pass(reconciler);
    expect(recorded(world)).toEqual(['4 → 6 by ada']);
  });
});

function isScaling(decision: unknown): boolean {
  const action: unknown = Reflect.get(Object(decision) as object, 'action');
  return action === 'ScaleUp' || action === 'ScaleDown';
}
