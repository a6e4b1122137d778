import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KubernetesOptions } from '#adapter-kubernetes';
import type { NewObject } from '#simulator';
import {
  aDefinition,
  MovableTiming,
  type SimulatedKubernetes,
  startSimulatedKubernetes,
  until,
} from '../support/simulated-kubernetes.ts';

const keda = { group: 'keda.sh', version: 'v1alpha1' };
const datadog = { group: 'datadoghq.com', version: 'v1alpha1' };

let world: SimulatedKubernetes;

beforeEach(async () => {
  world = await startSimulatedKubernetes();
});

afterEach(() => world.stop());

const competitors = () => world.kubernetes.competingAutoscalers.listCompetitors('shop');

const unknown = () => world.kubernetes.competingAutoscalers.whyUnknown('shop');
const watched = () =>
  world.kubernetes.health().informers.filter(({ resource }) => resource.startsWith('scaledobjects'));

/** Another adapter on the same cluster, as after a restart. */
async function restart(options: Partial<KubernetesOptions> = {}): Promise<void> {
  const { simulator } = world;
  const next = await startSimulatedKubernetes({
    connection: { kind: 'Explicit', kubeconfig: simulator.kubeconfigYaml },
    ...options,
  });
  await world.kubernetes.stop();
  const stop = async (): Promise<void> => {
    await next.stop();
    await simulator.stop();
  };
  world = { ...next, simulator, stop };
}

function aScaledObject(name: string, annotations: Readonly<Record<string, string>> = {}): NewObject {
  return {
    apiVersion: 'keda.sh/v1alpha1',
    kind: 'ScaledObject',
    metadata: { name, namespace: 'shop', annotations },
    spec: { scaleTargetRef: { name: 'checkout' } },
  };
}

function aWatermarkPodAutoscaler(name: string, spec: object = {}): NewObject {
  return {
    apiVersion: 'datadoghq.com/v1alpha1',
    kind: 'WatermarkPodAutoscaler',
    metadata: { name, namespace: 'shop' },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'store' }, ...spec },
  };
}

describe('competing autoscalers', () => {
  it('are none in a cluster that has neither kind', () => {
    expect(competitors()).toEqual([]);
  });

  it('are known from the first pass on, with their targets and managers, and go when they are deleted', async () => {
    const { objects } = world.simulator;
    objects.create(aDefinition('ScaledObject', keda));
    objects.create(aDefinition('WatermarkPodAutoscaler', datadog));
    objects.create(aScaledObject('queue'), 'helm');
    objects.create(aWatermarkPodAutoscaler('store'), 'argocd');
    await restart();
    expect(competitors()).toEqual([
      expect.objectContaining({
        kind: 'ScaledObject',
        name: 'queue',
        target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' },
        manager: 'helm',
      }),
      expect.objectContaining({
        kind: 'WatermarkPodAutoscaler',
        name: 'store',
        target: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'store' },
        manager: 'argocd',
      }),
    ]);
    const { apiVersion, kind } = aScaledObject('queue');
    objects.delete({ apiVersion, kind, namespace: 'shop', name: 'queue' });
    await until('it is gone', () => competitors().length === 1);
  });

  it('are not those that are paused or whose dry run is on', async () => {
    const { objects } = world.simulator;
    objects.create(aDefinition('ScaledObject', keda));
    objects.create(aDefinition('WatermarkPodAutoscaler', datadog));
    objects.create(aScaledObject('paused', { 'autoscaling.keda.sh/paused': 'true' }));
    objects.create(aWatermarkPodAutoscaler('dry', { dryRun: true }));
    await restart();
    expect(competitors()).toEqual([]);
  });

  it('are known to be none in a cluster that has neither kind', () => {
    expect(unknown()).toBeNull();
    expect(watched()).toEqual([]);
  });

  it('keep no start waiting where they may not be listed, which is told', async () => {
    world.simulator.objects.create(aDefinition('ScaledObject', keda));
    world.simulator.faults.add({ match: { path: /scaledobjects/ }, fault: { kind: 'Error', code: 403 } });
    await restart();
    expect(competitors()).toEqual([]);
    expect(unknown()).toMatch(/^scaledobjects are not listed yet \(GET .*scaledobjects.*403/);
    expect(watched()).toMatchObject([{ isSynced: false, refusedSince: expect.any(Number) }]);
    expect(world.kubernetes.health().unlisted).toEqual([]);
  });

  it('are those that were seen last once the watch is dead, which is told', async () => {
    world.simulator.objects.create(aDefinition('ScaledObject', keda));
    world.simulator.objects.create(aScaledObject('queue'));
    const timing = new MovableTiming();
    await restart({ timing });
    expect([competitors().length, unknown()]).toEqual([1, null]);
    world.simulator.faults.add({ match: { path: /scaledobjects/ }, fault: { kind: 'Error', code: 503 } });
    world.simulator.faults.dropWatches();
    await until('it breaks', () => watched()[0]?.lastFailure !== undefined);
    timing.advance(61_000);
    expect(unknown()).toMatch(/^nothing has been heard of scaledobjects for \d+ s \(GET .*503/);
    expect(competitors()).toHaveLength(1);
  });

  it('are not known while it is not known whether the cluster has the kind', async () => {
    world.simulator.objects.create(aDefinition('ScaledObject', keda));
    world.simulator.faults.add({
      match: { path: /^\/apis\/keda\.sh/ },
      fault: { kind: 'Error', code: 503 },
    });
    await restart();
    expect(unknown()).toMatch(/^whether the cluster has ScaledObjects is not known: .*503/);
  });
});
