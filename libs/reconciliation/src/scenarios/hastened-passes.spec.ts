import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { scaleTargetOf } from '../policies/scale-target.ts';
import type { Reconciler } from '../reconciler.ts';
import { World } from '../testing/a-world.ts';

const key = 'shop/checkout';

let world: World;
let checkout: ActivePolicy;
let reconciler: Reconciler;
let hastened: number;

beforeEach(async () => {
  world = new World();
  checkout = world.add({ minReplicas: 2 }, 4);
  world.proposes(checkout, 4);
  reconciler = await world.start();
  hastened = 0;
  reconciler.onHastened(() => (hastened += 1));
  await world.pass(reconciler);
});

const passes = () => world.reports.outcomesOf(key).length;
const scaleTo = (replicas: number) =>
  world.scale.set(scaleTargetOf(checkout.policy), replicas, { manager: 'kubectl' });

describe('a change that is not ours', () => {
  it('of the replicas starts a pass at once, in which metrics change nothing', async () => {
    world.proposes(checkout, 8);
    scaleTo(5);
    expect(hastened).toBe(1);
    await world.pass(reconciler, 1_000);
    expect(passes()).toBe(2);
    expect(world.replicasOf(checkout)).toBe(5);
    expect(world.reports.outcomesOf(key).at(-1)).toBe('Done/Unchanged');
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([{ origin: 'External', from: 4, to: 5 }]);
    await world.pass(reconciler, 14_000);
    expect(world.replicasOf(checkout)).toBe(8);
  });

  it('below the minimum is corrected at once', async () => {
    scaleTo(1);
    await world.pass(reconciler, 1_000);
    expect(world.replicasOf(checkout)).toBe(2);
  });

  it('does not let a limit without time in it act more than once per interval', async () => {
    world.proposes(checkout, 10);
    for (let second = 0; second < 10; second += 1) {
      scaleTo(5 + (second % 2));
      await world.pass(reconciler, 1_000);
    }
    expect(passes()).toBe(11);
    expect(world.scale.writes).toEqual([]);
  });

  it('is coalesced with others of the same second', async () => {
    for (const replicas of [5, 6, 7]) scaleTo(replicas);
    await world.pass(reconciler, 1_000);
    await world.pass(reconciler, 1_000);
    expect(passes()).toBe(2);
  });

  it('of the selector starts a pass at once', async () => {
    world.replicaChanges.reportSelector(scaleTargetOf(checkout.policy));
    await world.pass(reconciler, 1_000);
    expect(passes()).toBe(2);
  });

  it('of the policy starts a pass at once, in which its bounds act', async () => {
    const { policy, origin } = checkout;
    const commit = { ...origin.commit, hash: 'b'.repeat(40) };
    const changed = { ...policy, minReplicas: 6 };
    world.activePolicies.policies = [{ ...checkout, policy: changed, origin: { ...origin, commit } }];
    world.proposes(checkout, 9);
    await world.pass(reconciler, 1_000);
    expect(world.replicasOf(checkout)).toBe(6);
    await world.pass(reconciler, 14_000);
    expect(world.replicasOf(checkout)).toBe(9);
  });

  it('of a target whose policy is rendered into an HPA starts none: the native controller scales it', async () => {
    const web = world.add({ name: 'web', actuation: 'HorizontalPodAutoscaler' }, 4);
    world.proposes(web, 4);
    await world.pass(reconciler);
    hastened = 0;
    world.scale.set(scaleTargetOf(web.policy), 6, { manager: 'kube-controller-manager' });
    expect(hastened).toBe(0);
  });
});

it('the echo of our own write starts no pass', async () => {
  world.proposes(checkout, 8);
  await world.pass(reconciler);
  expect(world.replicasOf(checkout)).toBe(8);
  expect(hastened).toBe(0);
  await world.pass(reconciler, 1_000);
  expect(passes()).toBe(2);
});

it('a window that begins starts a pass at once, and moves the bounds', async () => {
  const schedule = {
    name: 'evening',
    cron: '0 17 * * *',
    timeZone: 'UTC',
    durationSeconds: 3_600,
    minReplicas: 6,
  };
  const shop = world.add({ name: 'web', schedules: [schedule] }, 4);
  world.proposes(shop, 4);
  world.windows.next = 3_000;
  await world.pass(reconciler);
  world.windows.windows = [{ kind: 'Schedule', name: 'evening', minReplicas: 6 }];
  await world.pass(reconciler, 2_000);
  expect(world.replicasOf(shop)).toBe(4);
  await world.pass(reconciler, 1_000);
  expect(world.replicasOf(shop)).toBe(6);
});
