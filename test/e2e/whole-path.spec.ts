import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ControllerProcess } from './support/controller-process.ts';
import { loadEntries } from './support/load-entries.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(120_000);

const scalingEvents = `{ scalingEvents(first: 100) { edges { node { from to origin commit { hash } } } } }`;

const checkout = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };

interface ScalingEvents {
  readonly scalingEvents: { readonly edges: readonly { readonly node: ScalingEventNode }[] };
}

interface ScalingEventNode {
  readonly from: number;
  readonly to: number;
  readonly origin: string;
  readonly commit: { readonly hash: string } | null;
}

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
  const events = async (running: ControllerProcess): Promise<readonly ScalingEventNode[]> =>
    (await running.query<ScalingEvents>(scalingEvents)).scalingEvents.edges.map(({ node }) => node);

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
      async () => (await policyNames(first)).includes('checkout') || undefined,
    );
    setLoad(1_660);
    await world.proxy.whenHeld();
    expect(replicas()).toBe(applied ? 6 : 4);
    await first.kill();
    world.proxy.release();
    const second = await world.startController();
    await untilReplicas(6);
    const recorded = await soon('the scaling event', async () => {
      const all = await events(second);
      return all.length > 0 ? all : undefined;
    });
    expect(recorded).toEqual([{ from: 4, to: 6, origin: 'Plimsoll', commit: { hash: expect.any(String) } }]);
    await passes(second, 3);
    expect(await events(second)).toHaveLength(1);
  });

  it('is not scaled by a write that arrives after its process was killed and another went on', async () => {
    const first = await world.startController();
    world.repository.commit('Add checkout policy', { 'shop/checkout.yaml': policyText });
    world.proxy.holdRequests(({ method, path }) => method === 'PUT' && path.includes('/checkout/scale'));
    setLoad(1_660);
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
    expect(replicas()).toBe(4);
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
    await passes(running, 3);
    expect(replicas()).toBe(6);
    expect(await policyNames(running)).toEqual(['checkout']);
  });

  it('does not forget a stabilisation window over a restart', async () => {
    const first = await world.startController();
    world.repository.commit('Add checkout policy', { 'shop/checkout.yaml': policyText });
    setLoad(1_660);
    await untilReplicas(6);
    await passes(first, 2);
    expect(await first.stop()).toBe(0);
    setLoad(300);
    const second = await world.startController();
    await passes(second, 4);
    expect(replicas()).toBe(6);
    const { policy } = await second.query<{ readonly policy: PolicyAnswer }>(policyQuery);
    expect(policy.decisions.edges[0]?.node.steps.map(({ rule }) => rule)).toContain('stabilization');
  });

  async function policyNames(running: ControllerProcess): Promise<readonly string[]> {
    const answer = await running.query<{
      readonly policies: { readonly edges: readonly { readonly node: { readonly name: string } }[] };
    }>('{ policies { edges { node { name } } } }');
    return answer.policies.edges.map(({ node }) => node.name);
  }

  /** Waits until the policy has been looked at so many times more. */
  async function passes(running: ControllerProcess, count: number): Promise<void> {
    const seen = new Set<string>();
    await soon(`${count} more passes`, async () => {
      const answer = await running.query<{
        readonly policy: { readonly status: { readonly time: string } | null } | null;
      }>('{ policy(namespace: "shop", name: "checkout") { status { time } } }');
      const time = answer.policy?.status?.time;
      if (time !== undefined) seen.add(time);
      return seen.size > count || undefined;
    });
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
