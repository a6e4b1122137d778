import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { defaultSettings } from '#decision';
import type { EffectivePolicy } from '#policy';
import type { ActivePolicy } from '../policies/active-policy.ts';
import type { Reconciler } from '../reconciler.ts';
import { aPolicy } from '../testing/a-policy.ts';
import { queryOf, World } from '../testing/a-world.ts';

const hour = 3_600_000;

/** A world as the controller configures it: times of the future are bounded. */
function aWorld(): World {
  const world = new World();
  world.options = { ...world.options, settings: { ...defaultSettings, maximumFutureSeconds: 60 } };
  return world;
}

async function passes(world: World, reconciler: Reconciler, count: number): Promise<void> {
  for (let pass = 0; pass < count; pass += 1) await world.pass(reconciler);
}

function withScaleDown(rules: Partial<EffectivePolicy['behavior']['scaleDown']>): Partial<EffectivePolicy> {
  const { behavior } = aPolicy();
  return { behavior: { ...behavior, scaleDown: { ...behavior.scaleDown, ...rules } } };
}

function outcomeOf(world: World, active: ActivePolicy): string | undefined {
  return world.reports.outcomesOf(`${active.policy.namespace}/${active.policy.name}`).at(-1);
}

describe.each([
  { name: 'goes on', restarts: false },
  { name: 'starts again', restarts: true },
])(
  'a clock that is set back an hour while a write has no answer, in a process that $name',
  ({ restarts }) => {
    it.each(['Yes', 'No'] as const)(
      'leaves a write without answer one outcome (taken: %s)',
      async (taken) => {
        const world = aWorld();
        const checkout = world.add({}, 4);
        world.proposes(checkout, 6);
        let reconciler = await world.start();
        world.scale.faults.push({ kind: 'Lost', taken });
        await world.pass(reconciler);
        expect(outcomeOf(world, checkout)).toBe('Waiting/WriteInDoubt');
        world.clock.setBack(hour);
        if (restarts) reconciler = await world.start();
        await passes(world, reconciler, 2);
        expect(outcomeOf(world, checkout)).toMatch(/^Done/);
        expect(world.replicasOf(checkout)).toBe(6);
        const events = world.ledger.payloadsOf('ScalingEvent');
        expect(events.map(({ from, to }) => ({ from, to }))).toEqual([{ from: 4, to: 6 }]);
        const outcomes = events.length + world.ledger.payloadsOf('ScalingFailure').length;
        expect(outcomes).toBe(world.ledger.payloadsOf('ScalingIntent').length);
      },
    );

    it('resolves the intent that was recorded last, not the one of the latest time', async () => {
      const world = aWorld();
      const checkout = world.add({}, 4);
      world.proposes(checkout, 6);
      let reconciler = await world.start();
      await world.pass(reconciler);
      expect(world.replicasOf(checkout)).toBe(6);
      world.clock.setBack(hour);
      world.proposes(checkout, 9);
      world.scale.faults.push({ kind: 'Lost', taken: 'Yes' });
      await world.pass(reconciler);
      expect(outcomeOf(world, checkout)).toBe('Waiting/WriteInDoubt');
      const [first, second] = world.ledger.payloadsOf('ScalingIntent');
      expect([first?.to, second?.to]).toEqual([6, 9]);
      if (restarts) reconciler = await world.start();
      await passes(world, reconciler, 2);
      expect(world.ledger.payloadsOf('ScalingEvent').map(({ from, to }) => ({ from, to }))).toEqual([
        { from: 4, to: 6 },
        { from: 6, to: 9 },
      ]);
      expect(outcomeOf(world, checkout)).toMatch(/^Done/);
    });

    it('keeps the window of stabilization at its length, and says that the clock was set back', async () => {
      const world = aWorld();
      const checkout = world.add(withScaleDown({ stabilizationWindowSeconds: 60 }), 8);
      world.proposes(checkout, 8);
      let reconciler = await world.start();
      await passes(world, reconciler, 2);
      world.clock.setBack(hour);
      if (restarts) reconciler = await world.start();
      world.proposes(checkout, 2);
      await world.pass(reconciler);
      expect(world.replicasOf(checkout)).toBe(8);
      const [decision] = world.ledger.payloadsOf('Decision').slice(-1);
      expect(JSON.stringify(decision)).toContain('the clock was set back');
      await passes(world, reconciler, 3);
      expect(world.replicasOf(checkout)).toBe(8);
      await passes(world, reconciler, 2);
      expect(world.replicasOf(checkout)).toBe(2);
    });

    it('keeps a forbidden window at its length', async () => {
      const world = aWorld();
      const checkout = world.add(withScaleDown({ forbiddenWindowSeconds: 60 }), 4);
      world.proposes(checkout, 8);
      let reconciler = await world.start();
      await world.pass(reconciler);
      expect(world.replicasOf(checkout)).toBe(8);
      world.clock.setBack(hour);
      if (restarts) reconciler = await world.start();
      world.proposes(checkout, 2);
      await passes(world, reconciler, 3);
      expect(world.replicasOf(checkout)).toBe(8);
      await passes(world, reconciler, 3);
      expect(world.replicasOf(checkout)).toBe(2);
    });
  },
);

describe('a clock that is set back', () => {
  it('scales up at once all the same', async () => {
    const world = aWorld();
    const checkout = world.add({}, 4);
    world.proposes(checkout, 6);
    const reconciler = await world.start();
    await world.pass(reconciler);
    world.clock.setBack(hour);
    world.proposes(checkout, 9);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(9);
  });

  it('lowers nothing by samples that were taken before it was', async () => {
    const world = aWorld();
    const checkout = world.add({}, 8);
    const reconciler = await world.start();
    const timestamp = world.clock.now();
    world.metrics.set(queryOf(checkout.policy), {
      kind: 'Answers',
      metrics: [{ values: ['2'], timestamp }],
    });
    world.clock.setBack(hour);
    await passes(world, reconciler, 3);
    expect(world.replicasOf(checkout)).toBe(8);
    expect(outcomeOf(world, checkout)).toBe('Waiting/FailedGetExternalMetric');
  });

  it('lowers nothing while a cache is not trusted, however long that was', async () => {
    const world = aWorld();
    const checkout = world.add({}, 8);
    world.proposes(checkout, 2);
    world.pods.unsync(queryOf(checkout.policy));
    const reconciler = await world.start();
    await world.pass(reconciler);
    world.clock.setBack(hour);
    await passes(world, reconciler, 3);
    expect(world.replicasOf(checkout)).toBe(8);
    expect(outcomeOf(world, checkout)).toMatch(/^Waiting/);
    world.pods.set(queryOf(checkout.policy), [{ name: 'checkout-1', phase: 'Running' }]);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(2);
  });

  it('loses no pass and no record, however often and far it is set', async () => {
    const event = fc.record({
      back: fc.constantFrom(0, hour, -hour, 24 * hour),
      // 9 of 10 are within the tolerance, which changes nothing; any other two counts are further apart.
      wanted: fc.integer({ min: 1, max: 9 }),
      fault: fc.constantFrom('None', 'LostTaken', 'LostUntaken', 'Restart'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 8 }), async (story) => {
        const world = aWorld();
        const checkout = world.add({}, 5);
        let reconciler = await world.start();
        for (const { back, wanted, fault } of story) {
          world.proposes(checkout, wanted);
          world.clock.setBack(back);
          if (fault === 'LostTaken') world.scale.faults.push({ kind: 'Lost', taken: 'Yes' });
          if (fault === 'LostUntaken') world.scale.faults.push({ kind: 'Lost', taken: 'No' });
          if (fault === 'Restart') reconciler = await world.start();
          await world.pass(reconciler);
        }
        world.scale.faults.length = 0;
        await passes(world, reconciler, 2);
        expect(world.replicasOf(checkout)).toBe(story.at(-1)?.wanted);
        expect(outcomeOf(world, checkout)).toMatch(/^Done/);
        const recorded = world.ledger.payloadsOf('ScalingEvent').map(({ from, to }) => ({ from, to }));
        expect(recorded).toEqual(world.scale.writes.map(({ from, to }) => ({ from, to })));
      }),
      { numRuns: 100 },
    );
  });
});
