import { describe, expect, it } from '@jest/globals';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { scaleTargetOf } from '../policies/scale-target.ts';
import { World } from '../testing/a-world.ts';

const key = 'shop/checkout';

/** A policy that asks for the four replicas there are. */
function aWorld(): { readonly world: World; readonly checkout: ActivePolicy } {
  const world = new World();
  const checkout = world.add({}, 4);
  world.proposes(checkout, 4);
  world.journal.isOpen = true;
  return { world, checkout };
}

function journaledKinds({ journal }: World): readonly string[] {
  return journal.requests.flatMap(({ drafts }) => drafts.map(({ kind }) => kind));
}

async function end(world: World): Promise<void> {
  world.ledger.outage = null;
  await world.journal.replay(world.writer!);
}

describe('an outage of the database', () => {
  it('writes nothing to Kubernetes, keeps what is decided, and records it in order afterwards', async () => {
    const { world, checkout } = aWorld();
    const reconciler = await world.start();
    await world.pass(reconciler);
    world.ledger.outage = 'Broken';
    world.proposes(checkout, 6);
    await world.pass(reconciler);
    await world.pass(reconciler);
    world.proposes(checkout, 2);
    await world.pass(reconciler);
    expect(world.scale.writes).toEqual([]);
    expect(world.reports.outcomesOf(key).slice(1)).toEqual(Array(3).fill('Failed/LedgerUnavailable'));
    expect(journaledKinds(world)).toEqual(['Decision', 'DecisionRun', 'Decision']);
    await end(world);
    expect(world.ledger.kindsOf('shop', 'checkout')).toEqual([
      'StrategyChange',
      'Decision',
      'Decision',
      'DecisionRun',
      'Decision',
    ]);
    world.proposes(checkout, 6);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(6);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([{ origin: 'Plimsoll', from: 4, to: 6 }]);
  });

  it.each([true, false])(
    'reports no entry for what is not recorded, with a journal or not: %s',
    async (isOpen) => {
      const { world, checkout } = aWorld();
      world.journal.isOpen = isOpen;
      const reconciler = await world.start();
      await world.pass(reconciler);
      world.ledger.outage = 'Broken';
      world.proposes(checkout, 6);
      await world.pass(reconciler);
      const found = world.reports.reports.map(({ decision, decisionId }) => [
        decision?.desiredReplicas,
        decisionId,
      ]);
      expect(found).toEqual([
        [4, `policy:${key}#2`],
        [6, null],
      ]);
    },
  );

  it('names each decision by its number once it has one', async () => {
    const { world, checkout } = aWorld();
    const reconciler = await world.start();
    world.ledger.outage = 'Broken';
    await world.pass(reconciler);
    const { states } = world.journal.requests[0]!;
    expect(states).toMatchObject([{ lastDecision: { entry: null } }]);
    await end(world);
    world.proposes(checkout, 4);
    await world.pass(reconciler);
    expect(world.ledger.states.get(`policy:${key}`)?.lastDecision?.entry).toBe(`policy:${key}#2`);
  });

  it('records each change of others once', async () => {
    const { world, checkout } = aWorld();
    const reconciler = await world.start();
    await world.pass(reconciler);
    world.ledger.outage = 'Broken';
    for (const replicas of [7, 5]) {
      world.scale.set(scaleTargetOf(checkout.policy), replicas);
      await world.pass(reconciler);
    }
    await end(world);
    world.proposes(checkout, 5);
    await world.pass(reconciler);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([
      { origin: 'External', from: 4, to: 7 },
      { origin: 'External', from: 7, to: 5 },
    ]);
  });

  it('keeps the outcome of a write whose intent is in the database', async () => {
    const { world, checkout } = aWorld();
    const reconciler = await world.start();
    await world.pass(reconciler);
    world.proposes(checkout, 6);
    world.ledger.faults.push(null, 'Broken');
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(6);
    expect(journaledKinds(world)).toEqual(['ScalingEvent']);
    await end(world);
    expect(await world.ledger.pendingIntents({ limit: 10 })).toEqual([]);
    await world.pass(reconciler);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([{ origin: 'Plimsoll', from: 4, to: 6 }]);
    expect(world.scale.writes).toHaveLength(1);
  });

  it('seals open runs into the journal when the process ends', async () => {
    const { world } = aWorld();
    const reconciler = await world.start();
    for (let pass = 0; pass < 3; pass += 1) await world.pass(reconciler);
    world.ledger.outage = 'Broken';
    await reconciler.shutdown();
    expect(journaledKinds(world)).toEqual(['DecisionRun']);
    await end(world);
    expect(world.ledger.payloadsOf('DecisionRun')).toMatchObject([{ count: 2 }]);
  });

  it('with a full journal, what is decided is lost and what others did is recorded afterwards', async () => {
    const { world, checkout } = aWorld();
    world.journal.isOpen = false;
    const reconciler = await world.start();
    await world.pass(reconciler);
    world.ledger.outage = 'Broken';
    world.scale.set(scaleTargetOf(checkout.policy), 7);
    await world.pass(reconciler);
    expect(world.reports.reports.at(-1)?.outcome.message).toContain('the journal is full');
    await end(world);
    await world.pass(reconciler);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([
      { origin: 'External', from: 4, to: 7 },
      { origin: 'Plimsoll', from: 7, to: 4 },
    ]);
  });

  it('never keeps an intent', async () => {
    const { world, checkout } = aWorld();
    const reconciler = await world.start();
    world.ledger.outage = 'Broken';
    world.proposes(checkout, 9);
    await world.pass(reconciler);
    expect(journaledKinds(world)).not.toContain('ScalingIntent');
    expect(world.journal.requests[0]?.states).toMatchObject([{ memoryIfWritten: null }]);
  });
});
