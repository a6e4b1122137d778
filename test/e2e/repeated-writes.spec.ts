import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type LoadedEntry, loadEntries } from './support/load-entries.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(180_000);

const file = 'shop/checkout.yaml';
/** One pod in five minutes may be taken away. */
const slowly = policyText.replace(
  '  metrics:\n',
  `  behavior:
    scaleDown:
      stabilizationWindowSeconds: 0
      policies: [{type: Pods, value: 1, periodSeconds: 300}]
  metrics:
`,
);
const natively = policyText.replace(
  '  interval: 1s\n',
  '  interval: 1s\n  actuation: HorizontalPodAutoscaler\n',
);
const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };

describe('a write that the network delivers twice, so that its answer is a conflict', () => {
  let world: ShopWorld;

  beforeEach(async () => {
    world = await startShopWorld();
  });
  afterEach(() => world.stop());

  /** The entries of some kinds, once there is one that is waited for. */
  const entriesUntil = (
    kinds: readonly string[],
    isAwaited: (entry: LoadedEntry) => boolean,
  ): Promise<readonly LoadedEntry[]> =>
    soon('the entry that is waited for', async () => {
      const entries = await loadEntries(world.folder);
      return entries.some(isAwaited) ? entries.filter(({ kind }) => kinds.includes(kind)) : undefined;
    });

  it('is made once where it is of a scale, and keeps to the limit on scaling in', async () => {
    world.simulator.objects.scale(target, 10, 'kubectl');
    world.simulator.load.setWorkload(
      { namespace: 'shop', kind: 'Deployment', name: 'checkout' },
      { app: { cpu: { kind: 'Constant', value: 600 }, share: 'Total' } },
    );
    world.proxy.repeatRequests(({ method, path }) => method === 'PUT' && path.includes('/scale'));
    world.repository.commit('Slowly', { [file]: slowly });
    await world.startController();
    const entries = await entriesUntil(
      ['ScalingIntent', 'ScalingEvent', 'ScalingFailure'],
      ({ kind, payload }) =>
        kind === 'Decision' && (payload['decision'] as { currentReplicas?: number }).currentReplicas === 9,
    );
    expect(entries).toMatchObject([
      { kind: 'ScalingIntent', payload: { from: 10, to: 9 } },
      { kind: 'ScalingEvent', payload: { from: 10, to: 9, origin: 'Plimsoll', intent: entries[0]?.id } },
    ]);
    expect(world.simulator.objects.find(target)).toMatchObject({ spec: { replicas: 9 } });
  });

  it('is made once where it is of a native HPA, created and replaced', async () => {
    world.proxy.repeatRequests(
      ({ method, path }) => method !== 'GET' && path.includes('/horizontalpodautoscalers'),
    );
    world.repository.commit('Natively', { [file]: natively });
    await world.startController();
    const isApplied = (verb: string) => (entry: LoadedEntry) =>
      entry.kind === 'ActuationOutcome' && entry.payload['verb'] === verb;
    await entriesUntil([], isApplied('Create'));
    world.repository.commit('Fewer', { [file]: natively.replace('maxReplicas: 12', 'maxReplicas: 11') });
    expect(await entriesUntil(['ActuationOutcome'], isApplied('Update'))).toMatchObject([
      { payload: { verb: 'Create', result: 'Applied' } },
      { payload: { verb: 'Update', result: 'Applied', drift: null } },
    ]);
  });
});
