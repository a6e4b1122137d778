import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { JsonObject } from '#kernel';
import { type ControllerProcess, testToken } from './support/controller-process.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(120_000);

const names = Array.from({ length: 12 }, (_, index) => `app-${index + 1}`);
/** In millicores of each workload, over all of its pods: 60 % of what eight pods request. */
const load = 2_400;

const policyOf = (name: string) =>
  `${policyText.replaceAll('checkout', name)}  behavior: {scaleDown: {stabilizationWindowSeconds: 0}}\n`;

/** The built controller on a simulated cluster whose metrics-server loses its mind. */
describe('the fleet brake', () => {
  let world: ShopWorld;
  let controller: ControllerProcess;
  beforeAll(async () => {
    world = await startShopWorld();
    const { objects } = world.simulator;
    const { spec } = objects.find({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'shop',
      name: 'checkout',
    })!;
    for (const name of names) {
      objects.create({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name, namespace: 'shop' },
        spec: JSON.parse(
          JSON.stringify({ ...(spec as JsonObject), replicas: 8 }).replaceAll('"checkout"', `"${name}"`),
        ) as JsonObject,
      });
    }
    use(load);
    world.simulator.runPending();
    world.repository.commit('Scale the shop', {
      ...Object.fromEntries(names.map((name) => [`shop/${name}.yaml`, policyOf(name)])),
      'shop/app-12.yaml': policyOf('app-12').replace(
        '  interval: 1s\n',
        '  interval: 1s\n  actuation: HorizontalPodAutoscaler\n',
      ),
    });
    controller = await world.startController();
    await soon('a decision on each', async () => {
      const { policies } = await controller.query<Policies>(
        '{ policies(first: 20) { edges { node { latestDecision { desiredReplicas } } } } }',
      );
      const decided = policies.edges.filter(({ node }) => node.latestDecision?.desiredReplicas === 8);
      return decided.length === names.length || undefined;
    });
  });
  afterAll(() => world.stop());

  function use(millicores: number): void {
    for (const name of names) {
      world.simulator.load.setWorkload(
        { namespace: 'shop', kind: 'Deployment', name },
        { app: { cpu: { kind: 'Constant', value: millicores }, share: 'Total' } },
      );
    }
  }

  const counts = () =>
    names.map((name) => {
      const found = world.simulator.objects.find({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        namespace: 'shop',
        name,
      });
      return (found?.['spec'] as JsonObject)['replicas'];
    });
  const isStopped = () =>
    JSON.stringify(
      world.simulator.objects.find({
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        namespace: 'shop',
        name: 'app-12',
      })?.['spec'],
    ).includes('Disabled');
  const degraded = async () => {
    const answer = await fetch(`${controller.url}/readyz`);
    return ((await answer.json()) as { readonly degraded: readonly { readonly what: string }[] }).degraded;
  };

  it('holds the whole fleet where its metrics say that all load is gone, and lets go where a person says so', async () => {
    use(0);
    await soon(
      'the brake',
      async () => (await degraded()).some(({ what }) => what === 'fleetBrake') || undefined,
    );
    await soon('the stop in the HPA', () => Promise.resolve(isStopped() || undefined));
    const { interventions } = await controller.query<Interventions>(
      '{ interventions { id actor reason direction scope { kind metricSource } } }',
    );
    expect(interventions).toEqual([
      {
        id: expect.any(String),
        actor: 'fleet-brake',
        reason: expect.stringMatching(/^by metrics\.k8s\.io, 1[0-2] of 12 targets would each lose 50 %/),
        direction: 'Down',
        scope: { kind: 'MetricSource', metricSource: 'metrics.k8s.io' },
      },
    ]);
    await soon('a decision that it stops', async () => {
      const { policy } = await controller.query<Steps>(
        '{ policy(namespace: "shop", name: "app-1") { states latestDecision { steps { rule because } } } }',
      );
      const isSo = policy.states.includes('Suspended');
      return (isSo && policy.latestDecision.steps.some(({ rule }) => rule === 'suspend')) || undefined;
    });
    expect(counts()).toEqual(names.map(() => 8));
    const ended = await fetch(
      `${controller.url}/api/v1/interventions/${interventions[0]?.id}?reason=it%20is%20night`,
      {
        method: 'DELETE',
        headers: { authorization: `Bearer ${testToken}` },
      },
    );
    expect(ended.status).toBe(200);
    await soon('the fleet at its minimum', () =>
      Promise.resolve(
        counts()
          .slice(0, 11)
          .every((count) => count === 2) || undefined,
      ),
    );
    await soon('no degradation', async () => (await degraded()).length === 0 || undefined);
    expect(isStopped()).toBe(false);
  });
});

interface Policies {
  readonly policies: {
    readonly edges: readonly {
      readonly node: { readonly latestDecision: { readonly desiredReplicas: number } | null };
    }[];
  };
}

interface Interventions {
  readonly interventions: readonly { readonly id: string }[];
}

interface Steps {
  readonly policy: {
    readonly states: readonly string[];
    readonly latestDecision: { readonly steps: readonly { readonly rule: string }[] };
  };
}
