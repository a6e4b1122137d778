import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { NewObject } from '#simulator';
import {
  aDefinition,
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

/** Another adapter on the same cluster, as after a restart. */
async function restart(): Promise<void> {
  const { simulator } = world;
  const next = await startSimulatedKubernetes({
    connection: { kind: 'Explicit', kubeconfig: simulator.kubeconfigYaml },
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

  it('hold nothing up where they may not be listed', async () => {
    world.simulator.objects.create(aDefinition('ScaledObject', keda));
    world.simulator.faults.add({ match: { path: /scaledobjects/ }, fault: { kind: 'Error', code: 403 } });
    await restart();
    expect(competitors()).toEqual([]);
    expect(world.kubernetes.health().informers.every(({ isSynced }) => isSynced)).toBe(true);
  });
});
