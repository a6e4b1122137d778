import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ActivePolicy } from '../policies/active-policy.ts';
import type { Reconciler } from '../reconciler.ts';
import { readyPods, recommended, recommender } from '../testing/a-recommended-policy.ts';
import { World } from '../testing/a-world.ts';

const monitor = {
  apiVersion: 'datadoghq.com/v1alpha1',
  kind: 'DatadogMonitor',
  name: 'checkout',
  jsonPath: '.status.monitorState',
  notEqual: 'OK',
};

let world: World;
let checkout: ActivePolicy;
let reconciler: Reconciler;

async function start(changes: Parameters<World['add']>[0] = {}): Promise<void> {
  checkout = world.add({ ...recommended, ...changes }, 4);
  world.pods.set({ namespace: 'shop', selector: 'app=checkout' }, readyPods(3));
  reconciler = await world.start();
}

beforeEach(() => {
  world = new World();
});

describe('a policy with a recommender', () => {
  it('asks it once per pass, with the counts that the pass saw, and follows its answer', async () => {
    await start();
    world.recommenders.answer = { replicas: 6, lowerBound: 5, upperBound: 7 };
    await world.pass(reconciler);
    expect(world.recommenders.queries).toMatchObject([
      {
        policy: { name: 'checkout', minReplicas: 1, maxReplicas: 10 },
        recommender,
        specReplicas: 4,
        readyReplicas: 3,
      },
    ]);
    expect(world.replicasOf(checkout)).toBe(6);
    const decision = await world.ledger.newestEntry({ stream: 'policy:shop/checkout', kind: 'Decision' });
    expect(decision?.payload).toMatchObject({
      input: { observation: { recommendation: { replicas: 6 } } },
    });
  });

  it.each([
    {
      name: 'fails',
      answer: { error: { reason: 'FailedGetResourceMetric', message: 'status 500: broken' } },
      want: 'status 500: broken',
    },
    { name: 'hangs', answer: 'Hangs', want: 'no answer within 20 s' },
    { name: 'names no replicas', answer: {}, want: 'the recommendation names no replicas' },
    {
      name: 'is an hour old',
      answer: { replicas: 1, timestamp: '2026-11-20T11:00:00Z' },
      want: 'the recommendation of 2026-11-20T11:00:00Z is too old',
    },
  ] as const)('keeps the count where the answer $name, and says so', async ({ answer, want }) => {
    world.options = {
      ...world.options,
      settings: { ...world.options.settings, maximumSampleAgeSeconds: 180 },
    };
    await start();
    world.recommenders.answer = answer;
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(4);
    const reason = 'FailedGetResourceMetric';
    expect(world.reports.reports.at(-1)?.outcome).toMatchObject({ kind: 'Waiting', reason });
    const message = expect.stringContaining(want);
    expect(warnings()).toMatchObject([
      { type: 'Warning', reason, message },
      { type: 'Warning', reason: 'FailedComputeMetricsReplicas', message },
    ]);
  });

  it('does not ask where no pod is ready, and says which gate was in the way', async () => {
    await start();
    world.pods.set({ namespace: 'shop', selector: 'app=checkout' }, [{ name: 'a', phase: 'Pending' }]);
    await world.pass(reconciler);
    expect(world.recommenders.queries).toEqual([]);
    expect(world.reports.reports.at(-1)?.outcome.message).toContain(
      'the recommender was not asked: none of 1 pods is ready',
    );
  });

  it('does not ask while its lifecycle object blocks it', async () => {
    await start({ lifecycle: monitor });
    world.objects.set(monitor, { object: { status: { monitorState: 'Alert' } } });
    await world.pass(reconciler);
    expect(world.recommenders.queries).toEqual([]);
  });
});

describe('a policy with a lifecycle object', () => {
  beforeEach(() => {
    world.recommenders.answer = { replicas: 6, lowerBound: 5, upperBound: 7 };
    return start({ lifecycle: monitor });
  });

  it('goes on while the object has the wanted value', async () => {
    world.objects.set(monitor, { object: { status: { monitorState: 'OK' } } });
    await world.pass(reconciler);
    expect(world.objects.reads).toEqual([
      { namespace: 'shop', apiVersion: monitor.apiVersion, kind: monitor.kind, name: monitor.name },
    ]);
    expect(world.replicasOf(checkout)).toBe(6);
    expect(world.reports.reports.at(-1)?.decision?.conditions).toContainEqual(
      expect.objectContaining({ type: 'ScalingBlocked', status: 'False', reason: 'DatadogMonitorOK' }),
    );
  });

  it.each([
    {
      name: 'another value',
      reading: { object: { status: { monitorState: 'Alert' } } },
      reason: 'DatadogMonitorNotOK',
    },
    { name: 'no value', reading: { object: {} }, reason: 'DatadogMonitorNotOK' },
    {
      name: 'no kind',
      reading: { error: { message: 'serves no kind DatadogMonitor' } },
      reason: 'FailedGetDatadogMonitor',
    },
  ])('keeps the count while there is $name, and says so', async ({ reading, reason }) => {
    world.objects.set(monitor, reading);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(4);
    expect(world.reports.reports.at(-1)?.outcome).toMatchObject({ kind: 'Waiting', reason });
    expect(warnings()).toMatchObject([{ type: 'Warning', reason }]);
    world.objects.set(monitor, { object: { status: { monitorState: 'OK' } } });
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(6);
  });

  it('is blocked before its scale is said to be unreadable', async () => {
    world.objects.set(monitor, { object: { status: { monitorState: 'Alert' } } });
    world.scale.breakReads({ namespace: 'shop', ...checkout.policy.target }, 'forbidden');
    await world.pass(reconciler);
    expect(world.reports.reports.at(-1)?.outcome).toMatchObject({ reason: 'DatadogMonitorNotOK' });
  });
});

function warnings() {
  return world.kubernetesEvents.emitted.filter(({ type }) => type === 'Warning');
}
