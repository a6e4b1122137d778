import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ControllerProcess } from './support/controller-process.ts';
import { loadEntries } from './support/load-entries.ts';
import { replicasOf, setLoad } from './support/replica-changes.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';
import { untilPasses } from './support/until-passes.ts';

jest.setTimeout(120_000);

const eventsQuery = '{ scalingEvents(first: 100) { edges { node { from to origin commit { hash } } } } }';
const policiesQuery = '{ policies { edges { node { name } } } }';
const stepsQuery = `{ policy(namespace: "shop", name: "checkout") {
  decisions(first: 1) { edges { node { steps { rule } } } }
} }`;

const checkout = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };

interface ScalingEvents {
  readonly scalingEvents: { readonly edges: readonly { readonly node: object }[] };
}

interface PolicyAnswer {
  readonly policy: {
    readonly decisions: {
      readonly edges: readonly { readonly node: { readonly steps: readonly { readonly rule: string }[] } }[];
    };
  };
}

describe('the whole path, over two processes', () => {
  let world: ShopWorld;

  beforeEach(async () => {
    world = await startShopWorld();
  });
  afterEach(() => world.stop());

  const untilReplicas = (count: number): Promise<true> =>
    soon(`${count} replicas`, () => replicasOf(world, 'checkout') === count || undefined);
  const events = async (running: ControllerProcess): Promise<readonly object[]> =>
    (await running.query<ScalingEvents>(eventsQuery)).scalingEvents.edges.map(({ node }) => node);

  it.each([
    { name: 'a write that was made', applied: true },
    { name: 'a write that was not made', applied: false },
  ])('killed between intent and outcome, records $name exactly once', async ({ applied }) => {
    const first = await world.startController();
    world.repository.commit('Add checkout policy', { 'shop/checkout.yaml': policyText });
    const isScaleWrite = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
      method !== 'GET' && path.includes('/deployments/checkout/scale');
    if (applied) world.proxy.holdAnswers(isScaleWrite);
    else world.proxy.holdRequests(isScaleWrite);
    await soon(
      'the policy is in force',
      async () => JSON.stringify(await first.query(policiesQuery)).includes('"checkout"') || undefined,
    );
    setLoad(world, 'checkout', 6);
    await world.proxy.whenHeld();
    expect(replicasOf(world, 'checkout')).toBe(applied ? 6 : 4);
    await first.kill();
    world.proxy.release();
    const second = await world.startController();
    await untilReplicas(6);
    const recorded = await soon('the scaling event', async () => {
      const all = await events(second);
      return all.length > 0 ? all : undefined;
    });
    expect(recorded).toEqual([{ from: 4, to: 6, origin: 'Plimsoll', commit: { hash: expect.any(String) } }]);
    await untilPasses(second, 3);
    expect(await events(second)).toHaveLength(1);
  });

  it('is not scaled by a write that arrives after its process was killed and another went on', async () => {
    const first = await world.startController();
    world.repository.commit('Add checkout policy', { 'shop/checkout.yaml': policyText });
    world.proxy.holdRequests(({ method, path }) => method === 'PUT' && path.includes('/checkout/scale'));
    setLoad(world, 'checkout', 6);
    await world.proxy.whenHeld();
    await first.kill();
    world.proxy.release();
    // Its own write must not be what makes the version a former one.
    world.proxy.answerWith(({ method, path }) =>
      method === 'PUT' && path.includes('/checkout/scale') ? { status: 429, body: '{}' } : undefined,
    );
    const second = await world.startController();
    const failure = await soon('the outcome of the write', async () => {
      const entries = await loadEntries(world.folder);
      return entries.find(({ kind }) => kind === 'ScalingFailure');
    });
    expect(failure.payload).toMatchObject({
      code: 'NotApplied',
      message: 'the scale is 4, wanted 6: the write was not made',
    });
    expect(await world.proxy.deliverHeld()).toEqual([409]);
    expect(replicasOf(world, 'checkout')).toBe(4);
    expect(await events(second)).toEqual([]);
    world.proxy.release();
    await untilReplicas(6);
    const recorded = await soon('the scaling event', async () => {
      const all = await events(second);
      return all.length > 0 ? all : undefined;
    });
    expect(recorded).toMatchObject([{ from: 4, to: 6, origin: 'Plimsoll' }]);
    const found = world.simulator.objects.find(checkout);
    expect(JSON.stringify(found?.['metadata'])).not.toContain('plimsoll-version');
  });

  it('does not forget a stabilisation window over a restart', async () => {
    const first = await world.startController();
    world.repository.commit('Add checkout policy', { 'shop/checkout.yaml': policyText });
    setLoad(world, 'checkout', 6);
    await untilReplicas(6);
    await untilPasses(first, 2);
    expect(await first.stop()).toBe(0);
    setLoad(world, 'checkout', 1);
    const second = await world.startController();
    await untilPasses(second, 4);
    expect(replicasOf(world, 'checkout')).toBe(6);
    const { policy } = await second.query<PolicyAnswer>(stepsQuery);
    expect(policy.decisions.edges[0]?.node.steps.map(({ rule }) => rule)).toContain('stabilization');
  });
});
