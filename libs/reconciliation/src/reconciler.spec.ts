import { describe, expect, it } from '@jest/globals';
import { defaultSettings } from '#decision';
import { scaleTargetOf } from './policies/scale-target.ts';
import { aNativeAutoscaler } from './testing/a-native-autoscaler.ts';
import { flushMicrotasks, queryOf, World } from './testing/a-world.ts';

const key = 'shop/checkout';

describe('Reconciler', () => {
  it('decides, records, writes and records again', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    world.proposes(checkout, 6);
    const reconciler = await world.start();
    await reconciler.sweep();
    expect(world.replicasOf(checkout)).toBe(6);
    expect(world.ledger.kindsOf('shop', 'checkout')).toEqual([
      'StrategyChange',
      'Decision',
      'ScalingIntent',
      'ScalingEvent',
    ]);
    const [event] = world.ledger.payloadsOf('ScalingEvent');
    expect(event).toMatchObject({
      origin: 'Plimsoll',
      from: 4,
      to: 6,
      intent: 'policy:shop/checkout#3',
      decision: 'policy:shop/checkout#2',
      commit: { subject: 'Add checkout policy' },
    });
    expect(world.log.lines.map(({ text }) => text)).toEqual([
      'shop/checkout 4 → 6  queue 1500m per replica, target 1  (a1b2c3d Add checkout policy)',
    ]);
    expect(world.kubernetesEvents.emitted.map(({ reason }) => reason)).toEqual(['SuccessfulRescale']);
    expect(world.ledger.states.get('policy:shop/checkout')).toMatchObject({
      memory: { lastScaleTime: '2026-11-20T12:00:00.000Z' },
      memoryIfWritten: null,
      lastDecision: { entry: 'policy:shop/checkout#2' },
    });
  });

  it('remembers a write in the next pass, and has no doubt about it', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    world.proposes(checkout, 6);
    const reconciler = await world.start();
    await world.pass(reconciler);
    await world.pass(reconciler);
    expect(world.ledger.states.get('policy:shop/checkout')?.memory).toMatchObject({
      lastScaleTime: '2026-11-20T12:00:15.000Z',
      scaleUpEvents: [{ replicas: 2, time: '2026-11-20T12:00:15.000Z' }],
    });
    expect(world.scale.reads.map(({ freshness }) => freshness)).toEqual(['Cached', 'Cached']);
  });

  it('lets the loop turn within a sweep whenever a slice of time is used up', async () => {
    const world = new World();
    for (let index = 0; index < 40; index += 1) world.add({ name: `p${index}` }, 4);
    const reconciler = await world.start();
    let turns = 0;
    world.clock.nextTurn = () => {
      turns += 1;
      return Promise.resolve();
    };
    // Each pass takes 5 ms of the thread; sixteen begin together.
    world.scale.cachedScale = () => {
      world.clock.advance(5);
      return undefined;
    };
    await reconciler.sweep();
    expect(turns).toBe(2);
  });

  it('runs no second pass of a policy beside the first, and drops what has sent nothing at shutdown', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    world.metrics.set(queryOf(checkout.policy), { kind: 'Hangs' });
    const reconciler = await world.start();
    const first = reconciler.sweep();
    await flushMicrotasks();
    world.clock.advance(15_000);
    await reconciler.sweep();
    expect(world.metrics.queries).toHaveLength(1);
    await reconciler.shutdown();
    await first;
    expect(world.reports.outcomesOf(key)).toEqual([]);
  });

  it('ends a pass that hangs 10 s after it is to shut down, and leaves its write to the next process', async () => {
    const world = new World();
    world.options = { ...world.options, passTimeoutMilliseconds: 600_000 };
    const checkout = world.add({}, 4);
    world.proposes(checkout, 6);
    world.scale.faults.push({ kind: 'Hangs', taken: 'Yes' });
    const reconciler = await world.start();
    const sweep = reconciler.sweep();
    await flushMicrotasks();
    const end = reconciler.shutdown();
    world.clock.advance(10_000);
    await end;
    await sweep;
    expect(world.ledger.kindsOf('shop', 'checkout')).toContain('ScalingIntent');
    expect(world.ledger.kindsOf('shop', 'checkout')).not.toContain('ScalingEvent');
    await world.start();
    await flushMicrotasks();
    expect(world.ledger.kindsOf('shop', 'checkout').filter((kind) => kind === 'ScalingEvent')).toHaveLength(
      1,
    );
  });

  it('folds unchanged decisions, and seals the run at shutdown', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    world.proposes(checkout, 4);
    const reconciler = await world.start();
    for (let pass = 0; pass < 4; pass += 1) await world.pass(reconciler);
    expect(world.ledger.kindsOf('shop', 'checkout')).toEqual(['StrategyChange', 'Decision']);
    await reconciler.shutdown();
    expect(world.ledger.kindsOf('shop', 'checkout')).toEqual(['StrategyChange', 'Decision', 'DecisionRun']);
    expect(world.ledger.payloadsOf('DecisionRun')[0]).toMatchObject({ count: 3, action: 'None' });
    await world.pass(await world.start());
    expect(world.ledger.kindsOf('shop', 'checkout')).toHaveLength(3);
  });

  it('stores the states of a sweep in few batches, and those that only repeat the stored ones within five minutes', async () => {
    const world = new World();
    world.options = { ...world.options, concurrency: 16 };
    for (let index = 0; index < 50; index += 1) world.proposes(world.add({ name: `web-${index}` }, 4), 4);
    const reconciler = await world.start();
    const stored = (): number => world.ledger.batches.reduce((sum, { states }) => sum + states, 0);
    await world.pass(reconciler);
    expect(stored()).toBe(50);
    expect(world.ledger.batches.length).toBeLessThan(10);
    expect(world.metrics.ticks).toBe(1);
    await world.pass(reconciler);
    expect(stored()).toBe(50);
    const perPass: number[] = [];
    for (let pass = 0; pass < 19; pass += 1) {
      world.ledger.batches.length = 0;
      await world.pass(reconciler);
      perPass.push(stored());
    }
    expect(perPass.reduce((sum, states) => sum + states, 0)).toBe(50);
    expect(Math.max(...perPass)).toBeLessThan(15);
  });

  it('begins the passes of a sweep namespace by namespace, each with metrics of its own, and no more than can be under way', async () => {
    const world = new World();
    const gate = Promise.withResolvers<undefined>();
    for (let index = 0; index < 900; index += 1) {
      const { policy } = world.add({ namespace: `shop-${index % 3}`, name: `web-${index}` }, 4);
      const metrics = [{ values: ['4'] }];
      world.metrics.set(queryOf(policy), { kind: 'Waits', until: gate.promise, metrics });
    }
    const reconciler = await world.start();
    const sweep = reconciler.sweep();
    for (let turn = 0; turn < 100; turn += 1) await flushMicrotasks();
    const asked = world.metrics.queries.map(({ namespace }) => namespace);
    expect(new Set(asked)).toEqual(new Set(['shop-0', 'shop-1']));
    expect(asked).toEqual(asked.toSorted());
    gate.resolve(undefined);
    await sweep;
    expect(world.metrics.queries).toHaveLength(900);
    expect(world.metrics.namespaces).toBe(3);
    expect(world.reports.reports).toHaveLength(900);
  });

  it('restores recommendations and scale events after a restart', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    world.proposes(checkout, 6);
    await world.pass(await world.start());
    await world.pass(await world.start());
    const memory = world.ledger.states.get('policy:shop/checkout')?.memory;
    expect(memory?.recommendations).toHaveLength(2);
    expect(memory?.scaleUpEvents).toEqual([{ replicas: 2, time: '2026-11-20T12:00:15.000Z' }]);
    expect(world.ledger.payloadsOf('StrategyChange')).toHaveLength(1);
  });

  it('restores a policy that comes into force after the start', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    world.proposes(checkout, 6);
    await world.pass(await world.start());
    const active = world.activePolicies.policies;
    world.activePolicies.policies = [];
    const reconciler = await world.start();
    await world.pass(reconciler);
    world.activePolicies.policies = active;
    await world.pass(reconciler);
    expect(world.ledger.payloadsOf('StrategyChange')).toHaveLength(1);
    expect(world.ledger.states.get('policy:shop/checkout')?.memory.lastScaleTime).toBe(
      '2026-11-20T12:00:15.000Z',
    );
  });

  it.each([
    { name: 'mode Observe', options: { mode: 'Observe' }, policy: {}, want: 'Done/Observing' },
    { name: 'a dry run', options: {}, policy: { dryRun: true }, want: 'Done/DryRun' },
    {
      name: 'mode Observe of a native HPA',
      options: { mode: 'Observe' },
      policy: { actuation: 'HorizontalPodAutoscaler' },
      want: 'Done/Observing',
    },
    {
      name: 'a dry run of a native HPA',
      options: {},
      policy: { actuation: 'HorizontalPodAutoscaler', dryRun: true },
      want: 'Done/DryRun',
    },
  ] as const)('decides and records in $name, and writes nothing', async ({ options, policy, want }) => {
    const world = new World();
    world.options = { ...world.options, ...options };
    const checkout = world.add(policy, 4);
    world.proposes(checkout, 6);
    await world.pass(await world.start());
    expect(world.reports.outcomesOf(key)).toEqual([want]);
    expect(world.ledger.kindsOf('shop', 'checkout')).toEqual(['StrategyChange', 'Decision']);
    expect(world.ledger.states.get('policy:shop/checkout')?.memory.lastScaleTime).toBeUndefined();
    expect(world.scale.writes).toEqual([]);
    expect(world.nativeAutoscalers.writes).toEqual([]);
  });

  it('remembers a dry run as made in the watermark family', async () => {
    const world = new World();
    const checkout = world.add({ dryRun: true, family: 'watermark' }, 4);
    world.proposes(checkout, 6);
    await world.pass(await world.start());
    expect(world.ledger.states.get('policy:shop/checkout')?.memory.lastScaleTime).toBeDefined();
    expect(world.scale.writes).toEqual([]);
  });

  it('records a change of the selection strategy once, and tells it', async () => {
    const world = new World();
    const before = world.add({}, 4);
    world.proposes(before, 4);
    const reconciler = await world.start();
    await world.pass(reconciler);
    const after = { ...before, policy: { ...before.policy, selectionStrategy: 'OwnerReference' as const } };
    world.activePolicies.policies = [after];
    await world.pass(reconciler);
    await world.pass(await world.start());
    expect(world.ledger.payloadsOf('StrategyChange')).toMatchObject([
      { before: null, after: 'LabelSelector' },
      { before: 'LabelSelector', after: 'OwnerReference' },
    ]);
    expect(world.kubernetesEvents.emitted.map(({ message }) => message)).toEqual([
      'Pod selection strategy changed from LabelSelector to OwnerReference',
      "Pod selection strategy 'OwnerReference' is active",
    ]);
  });

  it('looks up owners only where the decision filters by them', async () => {
    const world = new World();
    world.proposes(world.add({}, 4), 4);
    world.proposes(world.add({ name: 'web', selectionStrategy: 'OwnerReference' }, 4), 4);
    await world.pass(await world.start());
    expect(world.owners.queries.map(({ pods }) => pods.map(({ name }) => name))).toEqual([['web-1']]);
    const featureGates = { ...defaultSettings.featureGates, SelectionStrategy: false };
    world.options = { ...world.options, settings: { ...defaultSettings, featureGates } };
    await world.pass(await world.start());
    expect(world.owners.queries).toHaveLength(1);
  });

  it('ends a pass with the version that it began with', async () => {
    const world = new World();
    const before = world.add({}, 4);
    world.metrics.set(queryOf(before.policy), { kind: 'Hangs' });
    const reconciler = await world.start();
    const pass = reconciler.sweep();
    await flushMicrotasks();
    const policy = { ...before.policy, selectionStrategy: 'OwnerReference' as const };
    const origin = { ...before.origin, commit: { ...before.origin.commit, hash: 'b'.repeat(40) } };
    world.activePolicies.policies = [{ ...before, policy, origin }];
    await reconciler.sweep();
    world.clock.advance(20_000);
    await pass;
    // Owners were not looked up for it: by owner, every pod would be left out.
    expect(world.reports.reports.at(-1)?.decision?.selection.requested).toBe('LabelSelector');
    world.proposes(before, 4);
    await world.pass(reconciler);
    expect(world.reports.reports.at(-1)?.decision?.selection.requested).toBe('OwnerReference');
    expect(world.owners.queries).toHaveLength(1);
  });

  it('records each change that the watch saw between two passes', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    world.proposes(checkout, 4);
    const reconciler = await world.start();
    await world.pass(reconciler);
    const target = scaleTargetOf(checkout.policy);
    world.scale.set(target, 4);
    const seen = { target, uid: 'uid-of-checkout', manager: 'helm', time: '2026-11-20T12:00:20Z' };
    world.replicaChanges.report({ ...seen, from: 4, fromVersion: '102', to: 9, resourceVersion: '102' });
    world.replicaChanges.report({ ...seen, from: 9, fromVersion: '102', to: 4, resourceVersion: '102' });
    await world.pass(reconciler);
    await world.pass(reconciler);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([
      { from: 4, to: 9, manager: 'helm' },
      { from: 9, to: 4 },
    ]);
  });

  it('records what others did to the replicas, and who', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    world.proposes(checkout, 4);
    const reconciler = await world.start();
    await world.pass(reconciler);
    world.scale.set(scaleTargetOf(checkout.policy), 7);
    world.proposes(checkout, 7);
    await world.pass(reconciler);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([
      { origin: 'External', manager: 'kubectl', from: 4, to: 7, intent: null },
    ]);
    world.scale.set(scaleTargetOf(checkout.policy), 5);
    world.proposes(checkout, 5);
    await world.pass(await world.start());
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([{ to: 7 }, { from: 7, to: 5 }]);
  });

  it('does not scale down before every policy of the namespace has looked', async () => {
    const world = new World();
    const checkout = world.add({}, 6);
    const web = world.add({ name: 'web' }, 4);
    world.proposes(checkout, 2);
    world.proposes(web, 4);
    const reconciler = await world.start();
    await world.pass(reconciler);
    expect(world.reports.outcomesOf(key)).toEqual(['Waiting/CompetitorsUnknown']);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(2);
  });

  it('holds where another policy or an HPA selects the same pods', async () => {
    const world = new World();
    const checkout = world.add({}, 6);
    world.proposes(checkout, 2);
    world.pods.set({ namespace: 'shop', selector: 'app=any' }, [{ name: 'checkout-1' }]);
    const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'other' };
    world.nativeAutoscalers.set('shop', [aNativeAutoscaler({ name: 'other', selector: 'app=any', target })]);
    const reconciler = await world.start();
    await world.pass(reconciler);
    expect(world.reports.outcomesOf(key)).toEqual(['Stalled/AmbiguousSelector']);
    expect(world.reports.reports[0]?.decision?.action).toBe('Hold');
    world.nativeAutoscalers.set('shop', []);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(2);
  });

  it('leaves the target of a live HPA alone', async () => {
    const world = new World();
    const checkout = world.add({}, 6);
    world.proposes(checkout, 2);
    world.nativeAutoscalers.set('shop', [aNativeAutoscaler({ name: 'x' })]);
    await world.pass(await world.start());
    expect(world.reports.outcomesOf(key)).toEqual(['Stalled/Conflict']);
    expect(world.scale.writes).toEqual([]);
  });

  it('forgets a policy that was pruned, and leaves its replicas', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    world.proposes(checkout, 4);
    const reconciler = await world.start();
    await world.pass(reconciler);
    await world.pass(reconciler);
    world.activePolicies.policies = [];
    await world.pass(reconciler);
    await reconciler.shutdown();
    expect(world.ledger.states.size).toBe(0);
    expect(world.ledger.kindsOf('shop', 'checkout').at(-1)).toBe('DecisionRun');
    expect(world.replicasOf(checkout)).toBe(4);
  });

  it('gives metrics that hang as invalid ones, and delays no other policy', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    const web = world.add({ name: 'web' }, 4);
    world.metrics.set(queryOf(checkout.policy), { kind: 'Hangs' });
    world.proposes(web, 6);
    const reconciler = await world.start();
    const sweep = reconciler.sweep();
    await flushMicrotasks();
    expect(world.replicasOf(web)).toBe(6);
    world.clock.advance(20_000);
    await sweep;
    expect(world.reports.outcomesOf(key)).toEqual(['Waiting/FailedGetExternalMetric']);
    expect(world.reports.reports.find((report) => report.key === key)?.ready.reason).toBe(
      'FailedGetExternalMetric',
    );
  });
});
