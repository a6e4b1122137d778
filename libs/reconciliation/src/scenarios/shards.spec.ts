import { describe, expect, it } from '@jest/globals';
import { namespacedName } from '#kernel';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { scaleTargetOf } from '../policies/scale-target.ts';
import type { Reconciler } from '../reconciler.ts';
import { anActivePolicy } from '../testing/a-policy.ts';
import { flushMicrotasks, queryOf, World } from '../testing/a-world.ts';

const key = 'shop/checkout';

/** `checkout` is of shard 0, `other` of shard 1; both ask for the four replicas there are. */
function aWorld(): { readonly world: World; readonly checkout: ActivePolicy; readonly other: ActivePolicy } {
  const world = new World();
  world.shards.byPrefix.set('other', 1);
  const { behavior } = anActivePolicy().policy;
  const scaleDown = { ...behavior.scaleDown, stabilizationWindowSeconds: 300 };
  const checkout = world.add({ behavior: { ...behavior, scaleDown } }, 4);
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'other' };
  const other = world.add({ name: 'other', target }, 4);
  world.proposes(checkout, 4);
  world.proposes(other, 4);
  return { world, checkout, other };
}

/** Lets what waits for the clock end. */
async function ended(world: World, work: Promise<unknown>): Promise<unknown> {
  const state = { hasEnded: false };
  const result = work
    .catch((error: unknown) => error)
    .finally(() => {
      state.hasEnded = true;
    });
  const isOver = (): boolean => state.hasEnded;
  for (let second = 0; second < 60 && !isOver(); second += 1) {
    await flushMicrotasks();
    if (!isOver()) world.clock.advance(1_000);
  }
  return result;
}

/** A pass that is under way. */
async function begin(world: World, reconciler: Reconciler): Promise<{ readonly end: Promise<void> }> {
  world.clock.advance(15_000);
  const end = reconciler.sweep();
  await flushMicrotasks();
  return { end };
}

describe('shards', () => {
  it('are carried out one by one, as they are taken', async () => {
    const { world } = aWorld();
    const reconciler = await world.start();
    await world.pass(reconciler);
    expect(world.reports.outcomesOf(key)).toHaveLength(1);
    expect(world.reports.outcomesOf('shop/other')).toEqual([]);
    await reconciler.take([1]);
    await world.pass(reconciler);
    expect(world.reports.outcomesOf(key)).toHaveLength(2);
    expect(world.reports.outcomesOf('shop/other')).toHaveLength(1);
  });

  it('are given up in no more transactions than there are of them, however many policies they have', async () => {
    const world = new World();
    const all = [0, 1, 2, 3];
    world.taken = all;
    for (const shard of all) {
      world.shards.byPrefix.set(`of-${shard}`, shard);
      for (let policy = 0; policy < 50; policy += 1)
        world.proposes(world.add({ name: `of-${shard}-${policy}` }, 4), 4);
    }
    const reconciler = await world.start();
    for (let pass = 0; pass < 3; pass += 1) await world.pass(reconciler);
    const before = world.ledger.batches.length;
    await Promise.all(all.map((shard) => reconciler.giveUp(shard)));
    const sealed = world.ledger.batches.slice(before);
    expect(sealed.length).toBeLessThanOrEqual(all.length);
    expect(sealed.map(({ states }) => states).reduce((sum, states) => sum + states, 0)).toBe(200);
    expect(world.ledger.payloadsOf('DecisionRun')).toHaveLength(200);
  });

  it('begin no pass before what was recorded of them is read, and none at all where that fails', async () => {
    const { world } = aWorld();
    const reconciler = await world.start();
    const read = Promise.withResolvers<never>();
    const recordedPolicies = world.ledger.recordedPolicies.bind(world.ledger);
    world.ledger.recordedPolicies = () => read.promise;
    const taking = reconciler.take([1]);
    await world.pass(reconciler);
    expect(world.reports.outcomesOf('shop/other')).toEqual([]);
    read.reject(new Error('the database is away'));
    await expect(taking).rejects.toThrow('the database is away');
    await world.pass(reconciler);
    expect(world.reports.outcomesOf('shop/other')).toEqual([]);
    world.ledger.recordedPolicies = recordedPolicies;
    await reconciler.take([1]);
    await world.pass(reconciler);
    expect(world.reports.outcomesOf('shop/other')).toHaveLength(1);
  });

  it('are restored from what was recorded of their own policies alone', async () => {
    const { world } = aWorld();
    world.taken = [0, 1];
    await world.pass(await world.start());
    world.taken = [0];
    const reconciler = await world.start();
    const asked: string[] = [];
    const policyStates = world.ledger.policyStates.bind(world.ledger);
    world.ledger.policyStates = (policies) => {
      asked.push(...policies.map(namespacedName));
      return policyStates(policies);
    };
    await reconciler.take([1]);
    expect(asked).toEqual(['shop/other']);
  });

  it('are given up with their runs sealed, and go on in the process that takes them, windows included', async () => {
    const { world, checkout, other } = aWorld();
    world.taken = [0, 1];
    const first = await world.start();
    for (let pass = 0; pass < 4; pass += 1) await world.pass(first);
    expect(await ended(world, first.giveUp(0))).toBeUndefined();
    expect(world.ledger.kindsOf('shop', 'checkout')).toEqual(['StrategyChange', 'Decision', 'DecisionRun']);
    expect(world.ledger.kindsOf('shop', 'other')).toEqual(['StrategyChange', 'Decision']);
    await world.pass(first);
    expect(world.reports.outcomesOf(key)).toHaveLength(4);
    expect(world.reports.outcomesOf('shop/other')).toHaveLength(5);
    // Nothing asks for the four replicas any more, but the window remembers them.
    world.proposes(checkout, 1);
    world.proposes(other, 1);
    world.taken = [0];
    const second = await world.start();
    await world.pass(second);
    expect(world.replicasOf(checkout)).toBe(4);
    expect(world.ledger.kindsOf('shop', 'checkout').slice(3)).toEqual(['Decision']);
  });

  it('know the policies of other shards that share pods with theirs', async () => {
    const { world, checkout, other } = aWorld();
    const pods = [{ name: 'checkout-1', phase: 'Running' as const }];
    world.pods.set({ namespace: 'shop', selector: 'app=other' }, pods);
    world.scale.addWatched(scaleTargetOf(other.policy));
    const reconciler = await world.start();
    world.proposes(checkout, 6);
    await world.pass(reconciler);
    expect(world.reports.outcomesOf(key)).toEqual(['Stalled/AmbiguousSelector']);
    world.activePolicies.policies = world.activePolicies.policies.filter((policy) => policy !== other);
    await world.pass(reconciler);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(6);
  });

  it('lose no policy that leaves while they are taken or given up', async () => {
    const { world, other } = aWorld();
    const reconciler = await world.start();
    const read = Promise.withResolvers<undefined>();
    const recordedPolicies = world.ledger.recordedPolicies.bind(world.ledger);
    world.ledger.recordedPolicies = async (page) => {
      await read.promise;
      return recordedPolicies(page);
    };
    const taking = reconciler.take([1]);
    world.activePolicies.policies = world.activePolicies.policies.filter((policy) => policy !== other);
    await world.pass(reconciler);
    read.resolve(undefined);
    await taking;
    await world.recordDeparture(other, 'Pruned');
    await world.pass(reconciler);
    expect(world.ledger.states.has('policy:shop/other')).toBe(false);
    expect(world.reports.outcomesOf('shop/other')).toEqual([]);
  });

  it('are free as soon as their own runs are sealed, where several are given up together', async () => {
    const world = new World();
    const names = ['a', 'b', 'c', 'd'];
    for (const [shard, name] of names.entries()) {
      world.shards.byPrefix.set(name, shard);
      const target = { apiVersion: 'apps/v1', kind: 'Deployment', name };
      world.proposes(world.add({ name, target }, 4), 4);
    }
    const reconciler = await world.start();
    await reconciler.take([1, 2, 3]);
    for (let pass = 0; pass < 3; pass += 1) await world.pass(reconciler);
    const sealed = (): readonly string[] =>
      names.filter((name) => world.ledger.kindsOf('shop', name).includes('DecisionRun'));
    expect(sealed()).toEqual([]);
    const given = names.map((_, shard) => reconciler.giveUp(shard).then(sealed));
    expect(await Promise.all(given)).toEqual([['a', 'b'], ['a', 'b'], names, names]);
  });

  it('wait for the passes alone that have sent something: the others are dropped with their reads, and nothing is told of them', async () => {
    const world = new World();
    const reading = Array.from({ length: 50 }, (_, index) => world.add({ name: `reading-${index}` }, 4));
    const writing = world.add({ name: 'writing' }, 4);
    for (const each of reading) world.proposes(each, 4);
    world.proposes(writing, 4);
    const reconciler = await world.start();
    for (let pass = 0; pass < 3; pass += 1) await world.pass(reconciler);
    const before = world.reports.outcomesOf('shop/reading-0').length;
    const aborted: string[] = [];
    for (const each of reading) world.metrics.set(queryOf(each.policy), { kind: 'Hangs' });
    world.proposes(writing, 6);
    const answer = Promise.withResolvers<undefined>();
    const writeScale = world.scale.writeScale.bind(world.scale);
    world.scale.writeScale = async (request, signal) => {
      signal.addEventListener('abort', () => aborted.push(request.target.name));
      await answer.promise;
      return writeScale(request, signal);
    };
    const sweep = await begin(world, reconciler);
    let isGiven = false;
    const given = reconciler.giveUp(0).then(() => (isGiven = true));
    await flushMicrotasks();
    expect(isGiven).toBe(false);
    // Not a moment passes: fifty passes that wait for metrics are not waited for.
    answer.resolve(undefined);
    await given;
    await sweep.end;
    expect([aborted, world.reports.outcomesOf('shop/reading-0').length]).toEqual([[], before]);
    expect(world.kubernetesEvents.emitted.filter(({ reason }) => reason === 'PassTimedOut')).toEqual([]);
    const sealed = reading.filter(({ policy }) =>
      world.ledger.kindsOf('shop', policy.name).includes('DecisionRun'),
    );
    expect(sealed).toHaveLength(50);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([{ from: 4, to: 6 }]);
    expect(world.scale.writes).toHaveLength(1);
  });

  it.each([
    { mode: 'Act', outcome: 'Done/Scaled', events: 1 },
    { mode: 'Observe', outcome: 'Done/Observing', events: 0 },
  ] as const)('wait for what is being recorded in mode $mode', async ({ mode, outcome, events }) => {
    const { world, checkout } = aWorld();
    world.options = { ...world.options, mode };
    const reconciler = await world.start();
    await world.pass(reconciler);
    await world.pass(reconciler);
    world.proposes(checkout, 6);
    const stored = Promise.withResolvers<undefined>();
    world.ledger.faults.push({ until: stored.promise });
    const sweep = await begin(world, reconciler);
    const given = reconciler.giveUp(0);
    await flushMicrotasks();
    stored.resolve(undefined);
    await given;
    await sweep.end;
    expect(world.ledger.payloadsOf('ScalingEvent')).toHaveLength(events);
    expect(world.reports.outcomesOf(key).slice(2)).toEqual([outcome]);
  });

  it('are sealed once where the process ends while they are given up', async () => {
    const { world } = aWorld();
    const reconciler = await world.start();
    for (let pass = 0; pass < 3; pass += 1) await world.pass(reconciler);
    const stored = Promise.withResolvers<undefined>();
    world.ledger.faults.push({ until: stored.promise });
    const given = reconciler.giveUp(0);
    await flushMicrotasks();
    const ending = reconciler.shutdown();
    await flushMicrotasks();
    stored.resolve(undefined);
    await Promise.all([given, ending]);
    const runs = world.ledger.kindsOf('shop', 'checkout').filter((kind) => kind === 'DecisionRun');
    expect(runs).toHaveLength(1);
  });

  it('are written for by the process alone that holds them with time left', async () => {
    const { world, checkout } = aWorld();
    const reconciler = await world.start();
    world.proposes(checkout, 6);
    world.shards.isWriting = false;
    await world.pass(reconciler);
    expect(world.scale.writes).toEqual([]);
    expect(world.reports.outcomesOf(key)).toEqual(['Waiting/ShardNotHeld']);
    expect(world.ledger.kindsOf('shop', 'checkout').slice(1)).toEqual([
      'Decision',
      'ScalingIntent',
      'ScalingFailure',
    ]);
    expect(world.kubernetesEvents.emitted.filter(({ reason }) => reason !== 'StrategyChanged')).toEqual([]);
    world.shards.isWriting = true;
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(6);
  });

  it('end a write that may not be sent any more as one that changed nothing', async () => {
    const { world, checkout } = aWorld();
    const reconciler = await world.start();
    world.proposes(checkout, 6);
    const stored = Promise.withResolvers<undefined>();
    world.ledger.faults.push({ until: stored.promise });
    const sweep = await begin(world, reconciler);
    world.shards.isWriting = false;
    stored.resolve(undefined);
    await ended(world, sweep.end);
    expect(world.replicasOf(checkout)).toBe(4);
    expect(world.reports.outcomesOf(key)).toEqual(['Waiting/ShardNotHeld']);
    expect(world.ledger.payloadsOf('ScalingFailure')).toMatchObject([
      {
        code: 'ShardNotHeld',
        message:
          'not sent: this process may not write for the policy any more; the process that takes its shard looks again',
      },
    ]);
  });

  it.each(['Yes', 'No'] as const)(
    'with a write that is not answered (carried out: %s) leave it to be found out by who takes them',
    async (taken) => {
      const { world, checkout } = aWorld();
      const first = await world.start();
      await world.pass(first);
      world.proposes(checkout, 6);
      world.scale.faults.push({ kind: 'Hangs', taken });
      const sweep = await begin(world, first);
      const error = await ended(world, first.giveUp(0));
      expect(error).toMatchObject({
        code: 'WriteUnanswered',
        message: 'writes were sent and not answered: shop/checkout',
      });
      await ended(world, sweep.end);
      const written = world.scale.writes.length;
      const second = await world.start();
      expect(world.scale.writes).toHaveLength(written);
      const outcome = taken === 'Yes' ? 'ScalingEvent' : 'ScalingFailure';
      expect(world.ledger.kindsOf('shop', 'checkout').at(-1)).toBe(outcome);
      await world.pass(second);
      expect(world.replicasOf(checkout)).toBe(6);
      expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([{ origin: 'Plimsoll', from: 4, to: 6 }]);
    },
  );
});
