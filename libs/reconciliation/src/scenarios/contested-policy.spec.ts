import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { scaleTargetOf } from '../policies/scale-target.ts';
import type { Reconciler } from '../reconciler.ts';
import { World } from '../testing/a-world.ts';

const key = 'shop/checkout';

let world: World;
let checkout: ActivePolicy;
let reconciler: Reconciler;

beforeEach(async () => {
  world = new World();
  checkout = world.add({}, 4);
  world.proposes(checkout, 6);
  reconciler = await world.start();
});

const condition = () => world.reports.reports.at(-1)?.conditions.find(({ type }) => type === 'Contested');
const outcome = () => world.reports.outcomesOf(key).at(-1);

/** Plimsoll writes, and helm puts the count back. */
async function reverse(): Promise<void> {
  await world.pass(reconciler);
  world.scale.set(scaleTargetOf(checkout.policy), 4, { manager: 'helm' });
}

/** Passes until the next write; how many seconds it took. */
async function secondsUntilWrite(): Promise<number> {
  const { length } = world.scale.writes;
  for (let seconds = 15; seconds <= 600; seconds += 15) {
    await world.pass(reconciler);
    if (world.scale.writes.length > length) return seconds;
  }
  return Number.POSITIVE_INFINITY;
}

describe('a policy whose writes are undone', () => {
  it('is contested from the third time on, and its writes wait', async () => {
    for (let count = 0; count < 3; count += 1) await reverse();
    expect(world.scale.writes).toHaveLength(3);
    await world.pass(reconciler);
    expect(outcome()).toBe('Stalled/Contested');
    expect(condition()).toMatchObject({ status: 'True', reason: 'Contested' });
    expect(world.kubernetesEvents.emitted.filter(({ reason }) => reason === 'Contested')).toMatchObject([
      {
        type: 'Warning',
        message: expect.stringContaining(
          'the last by helm; let one of the two set spec.replicas: leave it out of what helm applies',
        ),
      },
    ]);
    expect(world.scale.writes).toHaveLength(3);
    expect(await secondsUntilWrite()).toBe(45);
  });

  it('waits for longer each time where it scales down, and a minute at most where it scales up', async () => {
    world.proposes(checkout, 2);
    for (let count = 0; count < 3; count += 1) await reverse();
    const waits: number[] = [];
    for (let count = 0; count < 4; count += 1) {
      waits.push(await secondsUntilWrite());
      world.scale.set(scaleTargetOf(checkout.policy), 4, { manager: 'helm' });
    }
    expect(waits).toEqual([60, 120, 240, 300]);
    world.proposes(checkout, 6);
    expect(await secondsUntilWrite()).toBe(60);
  });

  it('is not contested any more an hour after the last reversal', async () => {
    for (let count = 0; count < 3; count += 1) await reverse();
    await secondsUntilWrite();
    expect(condition()?.status).toBe('True');
    for (let minute = 0; minute < 60; minute += 1) await world.pass(reconciler, 60_000);
    expect(condition()).toMatchObject({ status: 'False', reason: 'NotContested' });
  });

  it('waits over a restart as long as without one, and is contested until an hour after the last reversal', async () => {
    world.proposes(checkout, 2);
    for (let count = 0; count < 3; count += 1) await reverse();
    const waits: number[] = [];
    for (let count = 0; count < 4; count += 1) {
      await world.pass(reconciler);
      expect(outcome()).toBe('Stalled/Contested');
      reconciler = await world.start();
      waits.push(15 + (await secondsUntilWrite()));
      reconciler = await world.start();
      world.scale.set(scaleTargetOf(checkout.policy), 4, { manager: 'helm' });
    }
    expect(waits).toEqual([60, 120, 240, 300]);
    await world.pass(reconciler);
    expect(condition()).toMatchObject({
      status: 'True',
      message: expect.stringContaining('7 writes of Plimsoll were undone, the last by helm'),
    });
    world.scale.set(scaleTargetOf(checkout.policy), 2);
    for (let minute = 0; minute < 59; minute += 1) await world.pass(reconciler, 60_000);
    reconciler = await world.start();
    await world.pass(reconciler, 30_000);
    expect(condition()?.status).toBe('True');
    await world.pass(reconciler, 60_000);
    expect(condition()).toMatchObject({ status: 'False', reason: 'NotContested' });
  });

  it('is contested with the third reversal, also where the process starts anew after each write', async () => {
    for (let count = 0; count < 3; count += 1) {
      await world.pass(reconciler);
      reconciler = await world.start();
      world.scale.set(scaleTargetOf(checkout.policy), 4, { manager: 'helm' });
    }
    await world.pass(reconciler);
    expect(outcome()).toBe('Stalled/Contested');
  });

  it('is not contested by those who scale further', async () => {
    for (const replicas of [5, 7, 9]) {
      world.proposes(checkout, replicas);
      await world.pass(reconciler);
      world.scale.set(scaleTargetOf(checkout.policy), replicas + 1, { manager: 'kubectl' });
    }
    await world.pass(reconciler);
    expect(world.scale.writes.slice(0, 3)).toMatchObject([
      { from: 4, to: 5 },
      { from: 6, to: 7 },
      { from: 8, to: 9 },
    ]);
    expect(condition()).toBeUndefined();
  });
});
