import { describe, expect, it } from '@jest/globals';
import type { ActivePolicy } from '../policies/active-policy.ts';
import type { FakeWriteFault } from '../ports/scale.fake.ts';
import type { Reconciler } from '../reconciler.ts';
import { aPolicy } from '../testing/a-policy.ts';
import { flushMicrotasks, World } from '../testing/a-world.ts';

const { behavior } = aPolicy();

/** A policy that may take so many pods away in five minutes, and wants to take many. */
function shrinking(world: World, pods: number): ActivePolicy {
  const scaleDown = {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [{ type: 'Pods', value: pods, periodSeconds: 300 }],
  } as const;
  const checkout = world.add({ behavior: { ...behavior, scaleDown } }, 10);
  world.proposes(checkout, 2);
  return checkout;
}

async function passes(world: World, reconciler: Reconciler, count: number): Promise<void> {
  for (let pass = 0; pass < count; pass += 1) await world.pass(reconciler);
}

const events = (world: World): readonly object[] => world.ledger.payloadsOf('ScalingEvent');
const failures = (world: World): readonly object[] => world.ledger.payloadsOf('ScalingFailure');

describe('a write of a scale that is delivered twice, whose second answer is a conflict', () => {
  it('is made, and counts for the limits of what follows', async () => {
    const world = new World();
    const checkout = shrinking(world, 1);
    const reconciler = await world.start();
    for (let write = 0; write < 5; write += 1) world.scale.faults.push({ kind: 'Twice' });
    await passes(world, reconciler, 5);
    expect(world.replicasOf(checkout)).toBe(9);
    expect(events(world)).toMatchObject([
      { origin: 'Plimsoll', from: 10, to: 9, intent: 'policy:shop/checkout#3' },
    ]);
    expect(failures(world)).toEqual([]);
    await passes(world, await world.start(), 3);
    expect(world.replicasOf(checkout)).toBe(9);
  });

  it('is made where admission makes another count of it, as the sentence says', async () => {
    const world = new World();
    const checkout = shrinking(world, 2);
    const reconciler = await world.start();
    world.scale.faults.push({ kind: 'Twice', made: 9 });
    await passes(world, reconciler, 1);
    expect(events(world)).toMatchObject([
      { from: 10, to: 9, reason: expect.stringContaining('asked for 8, and the API server made it 9') },
    ]);
    await passes(world, reconciler, 5);
    expect(world.replicasOf(checkout)).toBe(8);
  });

  it('is found out by the next pass where the watch is behind', async () => {
    const world = new World();
    const checkout = shrinking(world, 1);
    const reconciler = await world.start();
    world.scale.faults.push({ kind: 'Twice' });
    world.replicaChanges.lag();
    await world.pass(reconciler);
    expect(world.reports.outcomesOf('shop/checkout').at(-1)).toBe('Waiting/WriteInDoubt');
    world.replicaChanges.catchUp();
    await passes(world, reconciler, 3);
    expect(world.replicasOf(checkout)).toBe(9);
    expect(events(world)).toMatchObject([{ origin: 'Plimsoll', from: 10, to: 9 }]);
  });
});

describe('a write of a scale that met a conflict', () => {
  it.each([
    {
      name: 'counts as made where a manager that is not known changed the count',
      manager: null,
      want: { count: 7, code: 'Overtaken' },
    },
    {
      name: 'does not where another manager is known to have',
      manager: 'kubectl',
      want: { count: 6, code: 'Changed' },
    },
  ])('$name', async ({ manager, want }) => {
    const world = new World();
    const checkout = shrinking(world, 1);
    const reconciler = await world.start();
    world.scale.faults.push({ kind: 'Overtaken', replicas: 7, manager });
    await passes(world, reconciler, 3);
    expect(world.replicasOf(checkout)).toBe(want.count);
    expect(failures(world)).toMatchObject([{ code: want.code }]);
  });
});

describe('a write of a scale whose answer was lost, and of which admission made another count', () => {
  it.each<{ readonly name: string; readonly fault: FakeWriteFault }>([
    { name: 'by its process', fault: { kind: 'Hangs', taken: 'Yes', made: 9 } },
    { name: 'on the way', fault: { kind: 'Lost', taken: 'Yes', made: 9 } },
  ])('$name is its outcome, and counts', async ({ fault }) => {
    const world = new World();
    const checkout = shrinking(world, 2);
    world.scale.faults.push(fault);
    void (await world.start()).sweep();
    await flushMicrotasks();
    await passes(world, await world.start(), 6);
    expect(failures(world)).toEqual([]);
    expect(events(world)).toMatchObject([
      { origin: 'Plimsoll', from: 10, to: 9, intent: expect.any(String) },
      { origin: 'Plimsoll', from: 9, to: 8 },
    ]);
    expect(world.replicasOf(checkout)).toBe(8);
  });
});

describe('a write of a scale that was believed lost', () => {
  it('counts for limits from when it turns up', async () => {
    const world = new World();
    const checkout = shrinking(world, 1);
    world.scale.faults.push({ kind: 'Late' });
    // Its version stands, so that it can still be made.
    world.scale.retirements.push({ kind: 'Refused', message: 'no right to patch' });
    const reconciler = await world.start();
    await world.pass(reconciler);
    world.proposes(checkout, 10);
    await world.pass(reconciler);
    expect(failures(world)).toMatchObject([{ code: 'MayComeLate' }]);
    world.clock.advance(600_000);
    world.scale.deliverLate();
    world.proposes(checkout, 2);
    await passes(world, reconciler, 5);
    expect(world.replicasOf(checkout)).toBe(9);
    expect(events(world)).toMatchObject([{ origin: 'Plimsoll', from: 10, to: 9, intent: null }]);
  });
});
