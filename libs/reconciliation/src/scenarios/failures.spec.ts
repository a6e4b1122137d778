import { describe, expect, it } from '@jest/globals';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { scaleTargetOf } from '../policies/scale-target.ts';
import { flushMicrotasks, queryOf, World } from '../testing/a-world.ts';

const key = 'shop/checkout';

/** A policy that wants 6 replicas where there are 4. */
function wanting(world: World, replicas = 6): ActivePolicy {
  const checkout = world.add({}, 4);
  world.proposes(checkout, replicas);
  return checkout;
}

function scalingKinds(world: World): readonly string[] {
  return world.ledger.kindsOf('shop', 'checkout').filter((kind) => kind.startsWith('Scaling'));
}

describe('a crash between the intent and the outcome', () => {
  it.each([
    {
      name: 'the write was made: exactly one event, and its memory',
      taken: 'Yes',
      kinds: ['StrategyChange', 'Decision', 'ScalingIntent', 'ScalingEvent'],
      scaled: '2026-11-20T12:00:00.000Z',
    },
    {
      name: 'the write was not made: a failure, the memory without it, and the next pass writes',
      taken: 'No',
      kinds: ['StrategyChange', 'Decision', 'ScalingIntent', 'ScalingFailure'],
      scaled: undefined,
    },
  ] as const)('$name', async ({ taken, kinds, scaled }) => {
    const world = new World();
    const checkout = wanting(world);
    world.scale.faults.push({ kind: 'Hangs', taken });
    const dying = await world.start();
    void dying.sweep();
    await flushMicrotasks();
    expect(world.ledger.kindsOf('shop', 'checkout').at(-1)).toBe('ScalingIntent');

    const reconciler = await world.start();
    expect(world.ledger.kindsOf('shop', 'checkout')).toEqual(kinds);
    expect(world.ledger.states.get(`policy:${key}`)?.memory.lastScaleTime).toBe(scaled);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(6);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([{ origin: 'Plimsoll', from: 4, to: 6 }]);
    await world.pass(await world.start());
    expect(world.ledger.payloadsOf('ScalingEvent')).toHaveLength(1);
  });

  it('at whatever moment it comes, the next process leaves exactly one event and one write', async () => {
    const seen = new Set<number>();
    for (let turns = 0; turns < 120; turns += 1) {
      const world = new World();
      const checkout = wanting(world);
      void (await world.start()).sweep();
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      const reconciler = await world.start();
      seen.add(world.ledger.entriesInOrder.length * 10 + world.scale.writes.length);
      await world.pass(reconciler);
      await world.pass(reconciler);
      expect(world.replicasOf(checkout)).toBe(6);
      expect(world.scale.writes).toHaveLength(1);
      expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([{ origin: 'Plimsoll', from: 4, to: 6 }]);
    }
    // Before anything was stored; resolved as not written; resolved as written, or recorded before the crash.
    expect([...seen].sort()).toEqual([0, 40, 41]);
  });

  it('somebody else scaled meanwhile: one external event', async () => {
    const world = new World();
    const checkout = wanting(world);
    world.scale.faults.push({ kind: 'Hangs', taken: 'No' });
    void (await world.start()).sweep();
    await flushMicrotasks();
    world.scale.set(scaleTargetOf(checkout.policy), 9);
    await world.pass(await world.start());
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([
      { origin: 'External', manager: 'kubectl', from: 4, to: 9 },
      { origin: 'Plimsoll', from: 9, to: 6 },
    ]);
  });

  it('the target cannot be read at the start: nothing is written until it can', async () => {
    const world = new World();
    const checkout = wanting(world);
    world.scale.faults.push({ kind: 'Hangs', taken: 'Yes' });
    void (await world.start()).sweep();
    await flushMicrotasks();
    world.scale.breakReads(scaleTargetOf(checkout.policy), 'connection refused');
    const reconciler = await world.start();
    await world.pass(reconciler);
    expect(world.reports.outcomesOf(key)).toEqual(['Waiting/WriteInDoubt']);
    world.scale.mend(scaleTargetOf(checkout.policy));
    await world.pass(reconciler);
    expect(world.ledger.payloadsOf('ScalingEvent')).toHaveLength(1);
    expect(world.scale.writes).toHaveLength(1);
  });

  it('the policy is not in force any more: its intent is resolved all the same', async () => {
    const world = new World();
    wanting(world);
    world.scale.faults.push({ kind: 'Hangs', taken: 'Yes' });
    void (await world.start()).sweep();
    await flushMicrotasks();
    world.activePolicies.policies = [];
    await world.start();
    expect(world.ledger.kindsOf('shop', 'checkout').at(-1)).toBe('ScalingEvent');
    // Should it come into force again, it remembers the write.
    expect(world.ledger.states.get(`policy:${key}`)).toMatchObject({
      memory: { lastScaleTime: '2026-11-20T12:00:00.000Z' },
      memoryIfWritten: null,
    });
  });

  it('the policy left meanwhile, and its target cannot be read at the start: its intent is resolved once it can', async () => {
    const world = new World();
    const checkout = wanting(world);
    world.scale.faults.push({ kind: 'Hangs', taken: 'Yes' });
    void (await world.start()).sweep();
    await flushMicrotasks();
    world.activePolicies.policies = [];
    await world.recordDeparture(checkout, 'Pruned');
    world.scale.breakReads(scaleTargetOf(checkout.policy), 'connection refused');
    const reconciler = await world.start();
    await world.pass(reconciler);
    expect(scalingKinds(world)).toEqual(['ScalingIntent']);
    expect(world.ledger.states.size).toBe(1);
    world.scale.mend(scaleTargetOf(checkout.policy));
    await world.pass(reconciler);
    await world.pass(reconciler);
    expect(scalingKinds(world)).toEqual(['ScalingIntent', 'ScalingEvent']);
    expect(world.ledger.states.size).toBe(0);
    expect(world.scale.writes).toHaveLength(1);
  });
});

describe('a write that goes wrong', () => {
  it('a lost answer leaves the write pending, and the next pass finds out', async () => {
    const world = new World();
    wanting(world);
    world.scale.faults.push({ kind: 'Lost', taken: 'Yes' });
    const reconciler = await world.start();
    await world.pass(reconciler);
    await world.pass(reconciler);
    expect(world.reports.outcomesOf(key)).toEqual(['Waiting/WriteInDoubt', 'Done/Unchanged']);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([{ origin: 'Plimsoll', from: 4, to: 6 }]);
    expect(world.ledger.states.get(`policy:${key}`)?.memory.scaleUpEvents).toHaveLength(1);
  });

  it('a write that hangs is ended by the deadline, and the next pass finds out', async () => {
    const world = new World();
    wanting(world);
    const web = world.add({ name: 'web' }, 4);
    world.proposes(web, 5);
    world.scale.faults.push({ kind: 'Hangs', taken: 'Yes' });
    const reconciler = await world.start();
    const sweep = reconciler.sweep();
    await flushMicrotasks();
    expect(world.replicasOf(web)).toBe(5);
    world.clock.advance(30_000);
    await sweep;
    expect(world.reports.outcomesOf(key)).toEqual(['Failed/PassTimedOut']);
    expect(world.reports.reports.at(-1)?.outcome.message).toBe(
      'the pass was ended: no end within 30000 ms, after 30 s for the write of the scale of Deployment checkout',
    );
    await world.pass(reconciler);
    expect(world.ledger.payloadsOf('ScalingEvent').filter(({ to }) => to === 6)).toHaveLength(1);
  });

  it('a refusal that may pass is a failure with a reason, an event and a condition in memory', async () => {
    const world = new World();
    wanting(world);
    const failure = { code: 'Throttled', message: 'too many requests', retryable: true };
    world.scale.faults.push({ kind: 'Fails', failure });
    const reconciler = await world.start();
    await world.pass(reconciler);
    expect(world.reports.outcomesOf(key)).toEqual(['Failed/FailedUpdateScale']);
    expect(world.ledger.kindsOf('shop', 'checkout').at(-1)).toBe('ScalingFailure');
    const memory = world.ledger.states.get(`policy:${key}`)?.memory;
    expect(memory?.conditions?.[0]).toMatchObject({ type: 'AbleToScale', reason: 'FailedUpdateScale' });
    expect(memory?.lastScaleTime).toBeUndefined();
    expect(world.kubernetesEvents.emitted.find(({ reason }) => reason === 'FailedRescale')?.message).toBe(
      'New size: 6; reason: external metric queue(nil) above target; error: too many requests',
    );
    await world.pass(reconciler);
    expect(world.reports.outcomesOf(key).at(-1)).toBe('Done/Scaled');
  });

  it('a refusal that stays is stalled', async () => {
    const world = new World();
    wanting(world);
    const failure = { code: 'Forbidden', message: 'may not update scale', retryable: false };
    world.scale.faults.push({ kind: 'Fails', failure });
    await world.pass(await world.start());
    expect(world.reports.outcomesOf(key)).toEqual(['Stalled/WriteRefused']);
  });

  it('decides again on the observation in hand when somebody else was faster', async () => {
    const world = new World();
    const checkout = wanting(world);
    world.scale.faults.push({ kind: 'Overtaken', replicas: 5 });
    const reconciler = await world.start();
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(6);
    expect(world.metrics.queries).toHaveLength(1);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([
      { origin: 'External', from: 4, to: 5 },
      { origin: 'Plimsoll', from: 5, to: 6 },
    ]);
    expect(world.ledger.payloadsOf('ScalingFailure')).toMatchObject([{ code: 'Changed' }]);
    // The second decision starts from the same memory as the first, which nothing came of.
    expect(world.ledger.states.get(`policy:${key}`)?.memory.recommendations).toEqual([
      { replicas: 5, time: '2026-11-20T12:00:15.000Z' },
      { replicas: 6, time: '2026-11-20T12:00:15.000Z' },
    ]);
  });

  it('does not decide again where the pods in hand belong to another selector', async () => {
    const world = new World();
    wanting(world);
    world.scale.faults.push({ kind: 'Overtaken', replicas: 5, selector: 'app=other' });
    await world.pass(await world.start());
    expect(world.reports.outcomesOf(key)).toEqual(['Waiting/ScaleChanged']);
    expect(world.ledger.payloadsOf('Decision')).toHaveLength(1);
    expect(world.scale.writes).toEqual([]);
  });

  it('gives up for this pass when the scale keeps changing', async () => {
    const world = new World();
    wanting(world);
    for (const replicas of [7, 8, 9]) world.scale.faults.push({ kind: 'Overtaken', replicas });
    await world.pass(await world.start());
    expect(world.reports.outcomesOf(key)).toEqual(['Waiting/ScaleChanged']);
    expect(world.scale.writes).toEqual([]);
    expect(world.ledger.payloadsOf('ScalingFailure')).toHaveLength(3);
  });
});

describe('a ledger that goes wrong', () => {
  it('writes nothing that it cannot record, and goes on remembering', async () => {
    const world = new World();
    const checkout = wanting(world);
    const reconciler = await world.start();
    world.ledger.outage = 'Broken';
    for (let pass = 0; pass < 3; pass += 1) await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(4);
    expect(world.reports.outcomesOf(key)).toEqual(Array(3).fill('Failed/LedgerUnavailable'));
    world.ledger.outage = null;
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(6);
    // The first count was seen while the ledger was away.
    expect(world.ledger.states.get(`policy:${key}`)?.memory.recommendations?.[0]).toEqual({
      replicas: 4,
      time: '2026-11-20T12:00:15.000Z',
    });
    expect(world.ledger.payloadsOf('StrategyChange')).toHaveLength(1);
  });

  it('an intent whose answer was lost is asked for again, and the write is made', async () => {
    const world = new World();
    const checkout = wanting(world);
    const reconciler = await world.start();
    world.ledger.faults.push('LostAfterStoring');
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(6);
    expect(scalingKinds(world)).toEqual(['ScalingIntent', 'ScalingEvent']);
  });

  it('an intent whose answer comes after the pass is closed before the next write, which was never sent', async () => {
    const world = new World();
    const checkout = wanting(world);
    const reconciler = await world.start();
    world.ledger.faults.push('LostAfterStoring', ...Array<'Broken'>(40).fill('Broken'));
    await world.pass(reconciler);
    await world.pass(reconciler);
    expect(world.reports.outcomesOf(key)).toEqual(['Failed/PassTimedOut', 'Failed/LedgerUnavailable']);
    expect(world.scale.writes).toEqual([]);
    world.ledger.faults.length = 0;
    await world.pass(reconciler);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(6);
    expect(scalingKinds(world)).toEqual(['ScalingIntent', 'ScalingFailure', 'ScalingIntent', 'ScalingEvent']);
  });

  it('a write whose outcome could not be recorded is read back and recorded once', async () => {
    const world = new World();
    wanting(world);
    const reconciler = await world.start();
    world.ledger.faults.push(null, 'Broken');
    await world.pass(reconciler);
    expect(world.reports.outcomesOf(key)).toEqual(['Failed/LedgerUnavailable']);
    await world.pass(reconciler);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([{ origin: 'Plimsoll', from: 4, to: 6 }]);
    expect(world.scale.writes).toHaveLength(1);
  });

  it('a ledger that hangs is ended by the deadline, and nothing was written', async () => {
    const world = new World();
    const checkout = wanting(world);
    const reconciler = await world.start();
    world.ledger.faults.push('Hangs');
    const sweep = reconciler.sweep();
    await flushMicrotasks();
    world.clock.advance(30_000);
    await sweep;
    expect(world.reports.outcomesOf(key)).toEqual(['Failed/PassTimedOut']);
    expect(world.reports.reports.at(-1)?.outcome.message).toBe(
      'the pass was ended: no end within 30000 ms, after 30 s for the ledger to take an entry',
    );
    expect(world.replicasOf(checkout)).toBe(4);
  });

  it('another process that took over ends all writes of this one', async () => {
    const world = new World();
    const checkout = wanting(world);
    const paused = await world.start();
    await world.ledger.takeOver('ledger');
    await world.pass(paused);
    expect(world.replicasOf(checkout)).toBe(4);
    expect(world.reports.outcomesOf(key)).toEqual(['Failed/LedgerUnavailable']);
  });
});

describe('an observation that cannot be made', () => {
  it.each([
    {
      name: 'the pod cache is not synced',
      spoil: (world: World) => world.pods.unsync({ namespace: 'shop', selector: 'app=checkout' }),
      want: 'Waiting/CacheNotSynced',
      decides: false,
    },
    {
      name: 'the HPA cache is not synced',
      spoil: (world: World) => world.nativeAutoscalers.unsync('shop'),
      want: 'Waiting/CacheNotSynced',
      decides: false,
    },
    {
      name: 'the scale cannot be read',
      spoil: (world: World, active: ActivePolicy) =>
        world.scale.breakReads(scaleTargetOf(active.policy), 'forbidden'),
      want: 'Failed/FailedGetScale',
      decides: true,
    },
    {
      name: 'the metrics port breaks',
      spoil: (world: World, { policy }: ActivePolicy) =>
        world.metrics.set(queryOf(policy), { kind: 'Rejects', message: 'boom' }),
      want: 'Waiting/FailedGetExternalMetric',
      decides: true,
    },
  ])('$name: no write, and the next pass looks again', async ({ spoil, want, decides }) => {
    const world = new World();
    const checkout = wanting(world, 2);
    spoil(world, checkout);
    const reconciler = await world.start();
    await world.pass(reconciler);
    expect(world.reports.outcomesOf(key)).toEqual([want]);
    expect(world.replicasOf(checkout)).toBe(4);
    expect(world.ledger.kindsOf('shop', 'checkout').includes('Decision')).toBe(decides);
  });

  it("one policy's bug reaches no other policy", async () => {
    const world = new World();
    const checkout = wanting(world);
    const web = world.add({ name: 'web' }, 4);
    world.proposes(web, 5);
    world.windows.fault = { policy: 'checkout', error: new TypeError('x is not a function') };
    await world.pass(await world.start());
    expect(world.reports.outcomesOf(key)).toEqual(['Bug/Bug']);
    expect([world.replicasOf(checkout), world.replicasOf(web)]).toEqual([4, 5]);
    expect(world.log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });
});
