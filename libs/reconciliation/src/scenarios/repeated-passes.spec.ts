import { describe, expect, it } from '@jest/globals';
import { scaleTargetOf } from '../policies/scale-target.ts';
import type { PassReport } from '../ports/pass-reports.port.ts';
import type { Reconciler } from '../reconciler.ts';
import { World } from '../testing/a-world.ts';

const stabilized = { isSet: true, scaleUp: {}, scaleDown: { stabilizationWindowSeconds: 300 } } as const;

/** Makes so many passes, and returns the counts of the one policy after each of them. */
async function passes(
  world: World,
  reconciler: Reconciler,
  count: number,
): Promise<readonly (number | undefined)[]> {
  const [active] = world.activePolicies.policies;
  const counts: (number | undefined)[] = [];
  for (let pass = 0; pass < count; pass += 1) {
    await world.pass(reconciler);
    counts.push(active && world.replicasOf(active));
  }
  return counts;
}

describe('a crash after passes that only repeated what was stored', () => {
  it.each([1, 5, 12, 18])('of %i passes shrinks no earlier than without it', async (repeated) => {
    const counts = [];
    for (const crashes of [false, true]) {
      const world = new World();
      const checkout = world.add({ behavior: stabilized }, 4);
      world.proposes(checkout, 4);
      let reconciler = await world.start();
      await passes(world, reconciler, 1 + repeated);
      world.proposes(checkout, 2);
      if (crashes) reconciler = await world.start();
      counts.push(await passes(world, reconciler, 41));
    }
    const [without, after] = counts;
    // The window ends 300 s after the last recommendation of 4.
    expect(without?.indexOf(2)).toBe(19);
    expect(after?.indexOf(2)).toBe(19);
  });

  it('counts no recommendation for longer than it may have been repeated unstored', async () => {
    const world = new World();
    const checkout = world.add({ behavior: { isSet: false, scaleUp: {}, scaleDown: {} } }, 4);
    world.proposes(checkout, 4);
    await passes(world, await world.start(), 2);
    world.proposes(checkout, 2);
    world.clock.advance(24 * 3_600_000);
    // The count of now is what the window begins with, and 4 would be put back.
    world.scale.set(scaleTargetOf(checkout.policy), 3);
    expect(await passes(world, await world.start(), 1)).toEqual([3]);
  });

  it('loses at most five minutes of a run', async () => {
    const world = new World();
    world.proposes(world.add({}, 4), 4);
    await passes(world, await world.start(), 100);
    await (await world.start()).shutdown();
    const lengths = world.ledger.payloadsOf('DecisionRun').map(({ count }) => Number(count));
    expect(lengths.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(99 - 20);
  });
});

describe('a pass', () => {
  it('is a row of its policy’s series, also where it repeats the last one', async () => {
    const world = new World();
    world.proposes(world.add({}, 4), 4);
    await passes(world, await world.start(), 3);
    const rows = world.series.records.map(({ input, decision }) => [input.observation.time, decision.time]);
    expect(rows).toHaveLength(3);
    expect(rows.every(([observed, decided]) => observed === decided)).toBe(true);
  });

  it('stores a recommendation that differs from the stored ones, though it changes no count', async () => {
    const world = new World();
    const checkout = world.add({ behavior: stabilized }, 4);
    world.proposes(checkout, 4);
    const reconciler = await world.start();
    await passes(world, reconciler, 3);
    world.proposes(checkout, 3);
    expect(await passes(world, reconciler, 2)).toEqual([4, 4]);
    const { memory } = world.ledger.states.get('policy:shop/checkout') ?? {};
    expect(memory?.recommendations?.at(-1)?.replicas).toBe(3);
  });
});

describe('a pass that repeats the one before', () => {
  it('keeps of its decision, memory and conditions what is as before, so that nothing of them is kept twice', async () => {
    const world = new World();
    world.proposes(world.add({ behavior: stabilized }, 4), 4);
    await passes(world, await world.start(), 3);
    const [before = [], now = []] = world.reports.reports.slice(-2).map(keptPartsOf);
    expect(now).toHaveLength(5);
    now.forEach((part, index) => expect(part).toBe(before[index]));
  });
});

function keptPartsOf({ decision, conditions }: PassReport): readonly unknown[] {
  if (decision === null) return [];
  return [decision.metrics, decision.steps, decision.conditions, decision.selection, conditions];
}
