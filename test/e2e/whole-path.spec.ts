import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ControllerProcess } from './support/controller-process.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';
import { untilPasses } from './support/until-passes.ts';

jest.setTimeout(120_000);

const checkout = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };

describe('the whole path', () => {
  let world: ShopWorld;

  beforeEach(async () => {
    world = await startShopWorld();
  });
  afterEach(() => world.stop());

  const replicas = (): number => {
    const found = world.simulator.objects.find(checkout);
    const spec = found?.['spec'] as { readonly replicas: number } | undefined;
    return spec?.replicas ?? Number.NaN;
  };
  const setLoad = (millicores: number): void =>
    world.simulator.load.setWorkload(
      { namespace: 'shop', kind: 'Deployment', name: 'checkout' },
      { app: { cpu: { kind: 'Constant', value: millicores }, share: 'Total' } },
    );
  const untilReplicas = (count: number): Promise<true> =>
    soon(`${count} replicas`, () => replicas() === count || undefined);

  it('turns a commit into replicas, and says why and who allowed it', async () => {
    const running = await world.startController();
    const hash = world.repository.commit('Add checkout policy', { 'shop/checkout.yaml': policyText });
    setLoad(1_660);
    await untilReplicas(6);
    const found = await soon('a decision with its commit', async () => {
      const { policy } = await running.query<{ readonly policy: PolicyAnswer }>(policyQuery);
      const node = policy.decisions.edges.find(({ node: { action } }) => action === 'ScaleUp')?.node;
      return node === undefined ? undefined : { policy, node };
    });
    expect(found.policy.origin).toMatchObject({
      source: 'policies',
      file: 'shop/checkout.yaml',
      commit: { hash },
    });
    expect(found.node).toMatchObject({
      currentReplicas: 4,
      desiredReplicas: 6,
      reason: 'cpu resource utilization (percentage of request) above target',
      commit: { hash, subject: 'Add checkout policy', author: expect.stringContaining('Alex Example') },
      metrics: [{ name: 'cpu', current: { averageUtilization: 83 }, proposedReplicas: 6 }],
    });
    expect(found.node.steps.at(-1)?.after).toBe(6);
    const why = await running.query<object>(
      '{ scalingEvents(first: 1) { edges { node { to decision { desiredReplicas commit { hash } } } } } }',
    );
    expect(why).toEqual({
      scalingEvents: { edges: [{ node: { to: 6, decision: { desiredReplicas: 6, commit: { hash } } } }] },
    });
    expect(await running.stop()).toBe(0);
    expect(running.log.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });

  it('leaves everything as it was when a file is broken, and says where', async () => {
    const running = await world.startController();
    world.repository.commit('Add checkout policy', { 'shop/checkout.yaml': policyText });
    setLoad(1_660);
    await untilReplicas(6);
    const hash = world.repository.commit('Break it', {
      'shop/checkout.yaml': policyText.replace('maxReplicas: 12', 'maxReplicas: 1'),
    });
    const run = await soon('a rejected revision', async () => {
      const { syncRuns } = await running.query<{ readonly syncRuns: SyncRuns }>(syncRunsQuery);
      return syncRuns.edges.map(({ node }) => node).find(({ commit }) => commit?.hash === hash);
    });
    expect(run.diagnostics).toEqual([
      expect.objectContaining({
        severity: 'error',
        file: 'shop/checkout.yaml',
        line: 7,
        column: expect.any(Number),
      }),
    ]);
    const place = `shop/checkout.yaml:7:${String(run.diagnostics[0]?.column)}`;
    // The run is stored before its line has come through the pipe.
    await soon(
      'the place in the log',
      () => running.log.some((entry) => JSON.stringify(entry).includes(place)) || undefined,
    );
    await untilPasses(running, 3);
    expect(replicas()).toBe(6);
    expect(await policyNames(running)).toEqual(['checkout']);
  });

  async function policyNames(running: ControllerProcess): Promise<readonly string[]> {
    const answer = await running.query<{
      readonly policies: { readonly edges: readonly { readonly node: { readonly name: string } }[] };
    }>('{ policies { edges { node { name } } } }');
    return answer.policies.edges.map(({ node }) => node.name);
  }
});

const policyQuery = `{
  policy(namespace: "shop", name: "checkout") {
    origin { source file commit { hash } }
    decisions(first: 20) { edges { node {
      action currentReplicas desiredReplicas reason
      steps { rule before after because }
      metrics { name current proposedReplicas }
      commit { hash subject author }
    } } }
  }
}`;

interface PolicyAnswer {
  readonly origin: object;
  readonly decisions: { readonly edges: readonly { readonly node: DecisionNode }[] };
}

interface DecisionNode {
  readonly action: string;
  readonly steps: readonly { readonly rule: string; readonly after: number }[];
}

const syncRunsQuery = `{
  syncRuns { edges { node { commit { hash } outcome diagnostics { severity code message file line column } } } }
}`;

interface SyncRuns {
  readonly edges: readonly { readonly node: SyncRunNode }[];
}

interface SyncRunNode {
  readonly commit: { readonly hash: string } | null;
  readonly diagnostics: readonly { readonly column: number }[];
}
