import { describe, expect, it } from '@jest/globals';
import type { DirectionRules } from '#policy';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { scaleTargetOf } from '../policies/scale-target.ts';
import { anActivePolicy } from '../testing/a-policy.ts';
import { readyPods, recommended } from '../testing/a-recommended-policy.ts';
import { World } from '../testing/a-world.ts';

const windowSeconds = 300;
const rules = (stabilizationWindowSeconds: number): DirectionRules => ({
  stabilizationWindowSeconds,
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 900, periodSeconds: 15 }],
});
const behavior = { isSet: true, scaleUp: rules(0), scaleDown: rules(windowSeconds) };

/** A policy of which 8 of at most 10 replicas are asked for, minute after minute. */
async function aBusyPolicy() {
  const world = new World();
  const checkout = world.add({ behavior }, 8);
  world.proposes(checkout, 8);
  const reconciler = await world.start();
  for (let passes = 0; passes < 5; passes += 1) await world.pass(reconciler);
  return { world, checkout, reconciler };
}

/** The count pass by pass, once the load is found to be gone; and when it followed, in seconds. */
async function followsAfter(
  world: World,
  checkout: ActivePolicy,
  reconciler: Awaited<ReturnType<World['start']>>,
): Promise<number> {
  world.proposes(checkout, 2);
  const before = world.replicasOf(checkout);
  for (let seconds = 0; seconds <= 2 * windowSeconds; seconds += 15) {
    await world.pass(reconciler);
    if (world.replicasOf(checkout) !== before) return seconds;
  }
  return Infinity;
}

describe('after a time in which nobody decided, a window begins anew', () => {
  it.each([60, 299, 301, 900, 86_400])('where no process ran for %d s', async (seconds) => {
    const { world, checkout } = await aBusyPolicy();
    world.clock.advance(seconds * 1_000);
    const reconciler = await world.start();
    expect(await followsAfter(world, checkout, reconciler)).toBeGreaterThanOrEqual(windowSeconds - 15);
    expect(world.replicasOf(checkout)).toBe(2);
  });

  it.each([301, 900])('where the policy was disabled for %d s', async (seconds) => {
    const { world, checkout, reconciler } = await aBusyPolicy();
    world.activePolicies.policies = [disabled(checkout)];
    for (let passed = 0; passed < seconds; passed += 15) await world.pass(reconciler);
    world.activePolicies.policies = [checkout];
    expect(await followsAfter(world, checkout, reconciler)).toBeGreaterThanOrEqual(windowSeconds - 15);
  });

  it('where the policy was disabled before the process began', async () => {
    const { world, checkout, reconciler } = await aBusyPolicy();
    world.activePolicies.policies = [disabled(checkout)];
    for (let passed = 0; passed < 2 * windowSeconds; passed += 15) await world.pass(reconciler);
    const next = await world.start();
    await world.pass(next);
    world.activePolicies.policies = [checkout];
    expect(await followsAfter(world, checkout, next)).toBeGreaterThanOrEqual(windowSeconds - 15);
  });

  it.each([30, 200, 299, 301, 3_600])('where the clock was set forward by %d s', async (seconds) => {
    const { world, checkout, reconciler } = await aBusyPolicy();
    world.clock.setBack(-seconds * 1_000);
    expect(await followsAfter(world, checkout, reconciler)).toBeGreaterThanOrEqual(windowSeconds - 15);
  });

  it('at the count that others left, which more load raises at once', async () => {
    const { world, checkout } = await aBusyPolicy();
    world.clock.advance(900_000);
    world.scale.set(scaleTargetOf(checkout.policy), 9);
    world.proposes(checkout, 2);
    const reconciler = await world.start();
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(9);
    world.proposes(checkout, 10);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(10);
  });
});

describe('on another object than it has decided on, a window begins anew', () => {
  /** A policy of which 2 replicas are asked for, minute after minute. */
  async function aQuietPolicy() {
    const world = new World();
    const checkout = world.add({ behavior }, 2);
    world.proposes(checkout, 2);
    const reconciler = await world.start();
    for (let passes = 0; passes < 5; passes += 1) await world.pass(reconciler);
    return { world, checkout, reconciler };
  }

  it('where its target was made anew', async () => {
    const { world, checkout, reconciler } = await aQuietPolicy();
    world.scale.replace(scaleTargetOf(checkout.policy), 8);
    expect(await followsAfter(world, checkout, reconciler)).toBeGreaterThanOrEqual(windowSeconds - 15);
    expect(world.replicasOf(checkout)).toBe(2);
  });

  it('where its target was made anew before the process began', async () => {
    const { world, checkout } = await aQuietPolicy();
    world.scale.replace(scaleTargetOf(checkout.policy), 8);
    const reconciler = await world.start();
    expect(await followsAfter(world, checkout, reconciler)).toBeGreaterThanOrEqual(windowSeconds - 15);
  });

  it('where a commit has given it another target', async () => {
    const { world, reconciler } = await aQuietPolicy();
    const till = anActivePolicy({
      behavior,
      target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'till' },
    });
    world.scale.set(scaleTargetOf(till.policy), 8, { selector: 'app=checkout' });
    world.activePolicies.policies = [till];
    expect(await followsAfter(world, till, reconciler)).toBeGreaterThanOrEqual(windowSeconds - 15);
    expect(world.replicasOf(till)).toBe(2);
  });

  it('and so does a delay of watermarks', async () => {
    const world = new World();
    const scaleDown = { stabilizationWindowSeconds: 0, delaySeconds: windowSeconds };
    const checkout = world.add({ ...recommended, behavior: { ...behavior, scaleDown } }, 6);
    world.pods.set({ namespace: 'shop', selector: 'app=checkout' }, readyPods(6));
    const asksFor = (replicas: number): void => {
      world.recommenders.answer = { replicas, lowerBound: replicas, upperBound: replicas };
    };
    asksFor(6);
    const reconciler = await world.start();
    await world.pass(reconciler);
    asksFor(2);
    for (let seconds = 0; seconds < windowSeconds - 60; seconds += 15) await world.pass(reconciler);
    world.scale.replace(scaleTargetOf(checkout.policy), 6);
    expect(await followsAfter(world, checkout, reconciler)).toBeGreaterThanOrEqual(windowSeconds - 15);
    expect(world.replicasOf(checkout)).toBeLessThan(6);
  });
});

it('a target that is looked at as seldom as its policy says is scaled in', async () => {
  const world = new World();
  const seldom = world.add({ behavior, intervalSeconds: 600 }, 8);
  world.proposes(seldom, 8);
  const reconciler = await world.start();
  await world.pass(reconciler, 600_000);
  world.proposes(seldom, 2);
  await world.pass(reconciler, 600_000);
  expect(world.replicasOf(seldom)).toBe(2);
});

function disabled({ policy, document, origin }: ActivePolicy): ActivePolicy {
  return { policy: { ...policy, enabled: false }, document: { ...document, enabled: false }, origin };
}
