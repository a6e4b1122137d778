import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ControllerProcess } from './support/controller-process.ts';
import type { ProxiedRequest } from './support/holding-proxy.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(180_000);

const file = 'shop/checkout.yaml';
/** It keeps the repository from being empty, which would be held. */
const other = policyText.replaceAll('name: checkout', 'name: web');
const rendered = policyText.replace(
  '  interval: 1s\n',
  '  interval: 1s\n  actuation: HorizontalPodAutoscaler\n',
);
const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };
const hpa = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  namespace: 'shop',
  name: 'checkout',
};

const actuationsQuestion = `{
  actuationOutcomes(first: 50) { edges { node {
    verb result drift driftManager differences { field found wanted } commit { subject }
  } } }
}`;
const eventsQuestion = `{ scalingEvents(first: 50) { edges { node { from to origin autoscaler manager } } } }`;

const observationsQuestion = `{ hpaObservations(first: 50) { edges { node { desiredReplicas } } } }`;

/** A distribution's, which no list of names has. */
const nativeManager = 'shop-distribution';
const ableToScale = { type: 'AbleToScale', status: 'True', reason: 'ReadyForNewScale', message: 'ready' };

interface Observations {
  readonly hpaObservations: {
    readonly edges: readonly { readonly node: { readonly desiredReplicas: number } }[];
  };
}

interface Holds {
  readonly sources: readonly { readonly holds: readonly { readonly digest: string }[] }[];
}

interface Orphans {
  readonly orphanedHpas: readonly object[];
}

interface Actuation {
  readonly verb: string;
  readonly result: string;
}

interface Actuations {
  readonly actuationOutcomes: { readonly edges: readonly { readonly node: Actuation }[] };
}

interface ScalingEvents {
  readonly scalingEvents: { readonly edges: readonly { readonly node: object }[] };
}

describe('a native HPA of the built controller', () => {
  let world: ShopWorld;

  beforeEach(async () => {
    world = await startShopWorld();
  });
  afterEach(() => world.stop());

  const specOf = (): Record<string, unknown> | undefined => {
    const spec = world.simulator.objects.find(hpa)?.['spec'];
    return spec === undefined ? undefined : (spec as Record<string, unknown>);
  };
  /** Oldest first. */
  const actuations = async (running: ControllerProcess): Promise<readonly Actuation[]> =>
    (await running.query<Actuations>(actuationsQuestion)).actuationOutcomes.edges
      .map(({ node }) => node)
      .toReversed();
  const untilActuated = (running: ControllerProcess, count: number): Promise<readonly Actuation[]> =>
    soon(`${count} writes of the HPA`, async () => {
      const made = await actuations(running);
      return made.length >= count ? made : undefined;
    });

  it('is made, kept from drifting, accounted for, and deleted with its policy', async () => {
    const running = await world.startController();
    world.repository.commit('Natively', { [file]: rendered, 'shop/web.yaml': other });
    await untilActuated(running, 1);
    expect(specOf()).toMatchObject({ minReplicas: 2, maxReplicas: 12 });
    world.simulator.objects.update(
      hpa,
      (live) => ({ ...live, spec: { ...specOf(), maxReplicas: 99 } }),
      'kubectl-edit',
    );
    const corrected = await untilActuated(running, 2);
    expect(corrected.at(-1)).toMatchObject({
      verb: 'Update',
      result: 'Applied',
      drift: 'Edited',
      driftManager: 'kubectl-edit',
      differences: [{ field: 'spec.maxReplicas', found: '99', wanted: '12' }],
      commit: { subject: 'Natively' },
    });
    expect(specOf()).toMatchObject({ maxReplicas: 12 });
    const observed = { currentReplicas: 4, desiredReplicas: 6, conditions: [ableToScale] };
    world.simulator.objects.updateStatus(hpa, (live) => ({ ...live, status: observed }), nativeManager);
    await soon('the observation of its status', async () => {
      const { edges } = (await running.query<Observations>(observationsQuestion)).hpaObservations;
      return edges.some(({ node }) => node.desiredReplicas === 6) || undefined;
    });
    world.simulator.objects.scale(target, 6, nativeManager);
    const [event] = await soon('the scaling', async () => {
      const { edges } = (await running.query<ScalingEvents>(eventsQuestion)).scalingEvents;
      return edges.length > 0 ? edges : undefined;
    });
    expect(event?.node).toEqual({
      from: 4,
      to: 6,
      origin: 'HorizontalPodAutoscaler',
      autoscaler: 'checkout',
      manager: nativeManager,
    });
    world.repository.commit('Prune', { [file]: null });
    const all = await untilActuated(running, 3);
    expect(all.map(({ verb, result }) => `${verb} ${result}`)).toEqual([
      'Create Applied',
      'Update Applied',
      'Delete Applied',
    ]);
    expect(specOf()).toBeUndefined();
    expect(world.simulator.objects.find(target)).toMatchObject({ spec: { replicas: 6 } });
  });

  it('whose namespace leaves the configured ones is reported as orphaned, and stays', async () => {
    const source = {
      name: 'policies',
      url: world.repository.url,
      interval: '1s',
      unknownApprovers: 'Allowed',
    };
    const running = await world.startController({ sources: [source] });
    world.repository.commit('Natively', { [file]: rendered });
    await untilActuated(running, 1);
    await running.stop();
    world.simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
    const narrowed = await world.startController({ sources: [source], namespaces: ['other'] });
    const { digest } = await soon('the hold', async () => {
      const { sources } = await narrowed.query<Holds>('{ sources { holds { digest } } }');
      return sources[0]?.holds[0];
    });
    const approval = `approveHold(source: "policies", digest: "${digest}", reason: "it moved to another controller")`;
    await narrowed.query(`mutation { ${approval} { __typename } }`);
    const orphans = await soon('the orphan', async () => {
      const found = await narrowed.query<Orphans>('{ orphanedHpas { namespace name policy } }');
      return found.orphanedHpas.length > 0 ? found.orphanedHpas : undefined;
    });
    expect(orphans).toEqual([{ namespace: 'shop', name: 'checkout', policy: 'shop/checkout' }]);
    expect(specOf()).toMatchObject({ maxReplicas: 12 });
  });

  it.each([
    { name: 'before it reached the API server', applied: false, want: ['Create Failed', 'Create Applied'] },
    { name: 'after it was applied', applied: true, want: ['Create Applied'] },
  ])('whose write was cut off by SIGKILL $name has one outcome', async ({ applied, want }) => {
    const isHpaWrite = ({ method, path }: ProxiedRequest): boolean =>
      method === 'POST' && path.includes('/horizontalpodautoscalers');
    if (applied) world.proxy.holdAnswers(isHpaWrite);
    else world.proxy.holdRequests(isHpaWrite);
    const first = await world.startController();
    world.repository.commit('Natively', { [file]: rendered, 'shop/web.yaml': other });
    await world.proxy.whenHeld();
    await first.kill();
    world.proxy.release();
    const second = await world.startController();
    const made = await untilActuated(second, want.length);
    expect(made.map(({ verb, result }) => `${verb} ${result}`)).toEqual(want);
    expect(specOf()).toMatchObject({ maxReplicas: 12 });
  });
});
