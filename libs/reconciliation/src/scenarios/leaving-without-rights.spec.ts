import { describe, expect, it } from '@jest/globals';
import { scaleTargetOf } from '../policies/scale-target.ts';
import { actuations, aRenderedPolicy, hpaName, key, passes } from '../testing/a-rendered-policy.ts';
import { flushMicrotasks, World } from '../testing/a-world.ts';

const forbidden = 'GET of deployments/checkout/scale: 403 it is forbidden';
const hpaForbidden = 'GET of HorizontalPodAutoscaler checkout: 403 it is forbidden';

const warnings = (world: World): readonly string[] =>
  world.log.lines.flatMap(({ level, text }) => (level === 'warn' ? [text] : []));

describe('the HPA of a policy that was pruned, and that may not be read', () => {
  it('is named with the reason at once, asked for every 15 s, and deleted as soon as it may be read', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    world.nativeAutoscalers.unreadable = hpaForbidden;
    world.activePolicies.policies = [];
    await world.recordDeparture(checkout, 'Pruned');
    const since = world.clock.now();
    await passes(world, reconciler, 40);
    expect(warnings(world)).toEqual([expect.stringContaining(`it cannot be looked at: ${hpaForbidden}`)]);
    const [orphan] = reconciler.listOrphanedHpas();
    expect(orphan).toMatchObject({ ...hpaName, policy: key });
    expect(orphan?.message).toContain(`may still be there and go on scaling, since it cannot be looked at`);
    expect(Date.parse(orphan?.since ?? '') - Date.parse(since)).toBeLessThanOrEqual(45_000);
    expect(reconciler.keptHpas).toHaveLength(1);
    expect(actuations(world)).toEqual(['Create → Applied']);
    world.nativeAutoscalers.unreadable = null;
    await passes(world, reconciler, 2);
    expect(actuations(world)).toEqual(['Create → Applied', 'Delete → Applied']);
    expect([reconciler.listOrphanedHpas(), world.ledger.states.size]).toEqual([[], 0]);
  });

  it('is known to other replicas and the next process, and is stored once', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    world.nativeAutoscalers.unreadable = hpaForbidden;
    world.activePolicies.policies = [];
    await world.recordDeparture(checkout, 'Pruned');
    await passes(world, reconciler, 5);
    const before = reconciler.listOrphanedHpas();
    const stored = [...world.ledger.states.values()];
    await passes(world, reconciler, 5);
    expect(stored.map((state, index) => [...world.ledger.states.values()][index] === state)).toEqual([true]);
    expect((await world.start()).listOrphanedHpas()).toEqual(before);
    expect(before).toHaveLength(1);
  });
});

describe('a policy that takes over a target that may not be read', () => {
  it.each([
    {
      name: 'under another name',
      changes: { name: 'renamed' },
      after: 'shop/checkout, which scaled its target before,',
    },
    {
      name: 'with another target',
      changes: { target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'other' } },
      after: 'what it scaled before',
    },
  ])('$name says what it waits for, and begins once that is there', async ({ changes, after }) => {
    const world = new World();
    const checkout = world.add({}, 4);
    world.proposes(checkout, 4);
    const reconciler = await world.start();
    await passes(world, reconciler, 2);
    const successor = { ...checkout, policy: { ...checkout.policy, ...changes } };
    world.scale.breakReads(scaleTargetOf(checkout.policy), forbidden);
    world.activePolicies.policies = [successor];
    await passes(world, reconciler, 3);
    const successorKey = `shop/${successor.policy.name}`;
    const message = `not looked at yet: the record of ${after} is not complete: ${forbidden}`;
    const report = world.reports.reports.findLast((each) => each.key === successorKey);
    expect(report?.outcome).toEqual({ kind: 'Waiting', reason: 'TargetLeaving', message });
    expect(report?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'Unknown', reason: 'TargetLeaving', message }),
    );
    expect(world.log.lines.filter(({ text }) => text.includes(message))).toHaveLength(1);
    world.scale.mend(scaleTargetOf(checkout.policy));
    await passes(world, reconciler, 1);
    expect(world.reports.outcomesOf(successorKey).at(-1)).not.toContain('TargetLeaving');
  });
});

describe('a policy that left before a start, and whose departure is recorded after it', () => {
  it('loses its HPA all the same, without another start', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 2);
    world.activePolicies.policies = [];
    const next = await world.start();
    await passes(world, next, 2);
    expect(actuations(world)).toEqual(['Create → Applied']);
    await world.recordDeparture(checkout, 'Pruned');
    await passes(world, next, 3);
    expect(actuations(world)).toEqual(['Create → Applied', 'Delete → Applied']);
    expect([next.listOrphanedHpas(), world.ledger.states.size]).toEqual([[], 0]);
  });
});

describe('a policy that left, whose target may not be read', () => {
  it('is answered with the reason to who leaves it, and is left once the target may be read', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    world.proposes(checkout, 4);
    const reconciler = await world.start();
    await passes(world, reconciler, 2);
    world.scale.breakReads(scaleTargetOf(checkout.policy), forbidden);
    world.activePolicies.policies = [];
    await world.recordDeparture(checkout, 'Released');
    await passes(world, reconciler, 3);
    const left = { policy: checkout.policy, commit: checkout.origin.commit, to: 'None' } as const;
    expect(await reconciler.leave(left)).toEqual({
      kind: 'Waiting',
      message: `its record is not complete yet: ${forbidden}`,
    });
    world.scale.mend(scaleTargetOf(checkout.policy));
    await passes(world, reconciler, 1);
    expect(await reconciler.leave(left)).toMatchObject({ kind: 'Done' });
  });

  it.each(['Before', 'After'] as const)(
    'says what its last write waits for, where that has no answer (%s the start of another process)',
    async (when) => {
      const world = new World();
      const checkout = world.add({}, 4);
      world.proposes(checkout, 6);
      const reconciler = await world.start();
      world.scale.faults.push({ kind: 'Hangs', taken: 'Yes' });
      world.clock.advance(15_000);
      void reconciler.sweep();
      await flushMicrotasks();
      world.scale.breakReads(scaleTargetOf(checkout.policy), forbidden);
      world.activePolicies.policies = [];
      if (when === 'Before') await world.recordDeparture(checkout, 'Released');
      const next = await world.start();
      if (when === 'After') await world.recordDeparture(checkout, 'Released');
      await passes(world, next, 10);
      expect(warnings(world).filter((text) => text.includes(' left, '))).toEqual([
        `${key}  left, and could not be let go of yet: what became of its last write is not known: ${forbidden}`,
      ]);
      world.scale.mend(scaleTargetOf(checkout.policy));
      await passes(world, next, 2);
      expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([{ from: 4, to: 6 }]);
    },
  );
});
