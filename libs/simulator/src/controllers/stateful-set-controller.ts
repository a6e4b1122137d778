import { type KubeObject, numberAt, textAt } from '../objects/kube-object.ts';
import { isActive, isReady } from '../objects/pod-status.ts';
import { type Cluster, controlledBy, type Controller, putStatus, withoutZeros } from './cluster.ts';
import { createPod } from './pod-template.ts';
import { deletePods } from './replica-set-controller.ts';

/** Keeps pods NAME-0, NAME-1, …: in order one after the other, unless the set says Parallel. */
export const statefulSetController: Controller = {
  resource: 'apps/statefulsets',
  reconcile: (set, cluster) => {
    if (set.metadata.deletionTimestamp !== undefined) return;
    const wanted = numberAt(set, 'spec', 'replicas') ?? 1;
    const byName = podsByName(set, cluster);
    const isOrdered = textAt(set, 'spec', 'podManagementPolicy') !== 'Parallel';
    for (let ordinal = 0; ordinal < wanted; ordinal += 1) {
      const name = `${set.metadata.name}-${ordinal}`;
      const pod = byName.get(name);
      if (pod === undefined) createPod(set, cluster, { name, labels: ordinalLabels(name, ordinal) });
      // A pod of that name on its way out must be gone first, so ordered or not nothing is made here.
      if (isOrdered && (pod === undefined || !isReady(pod))) break;
    }
    const surplus = [...byName.values()].filter((pod) => isActive(pod) && ordinalOf(pod) >= wanted);
    deletePods(surplus, cluster);
    writeStatus(set, cluster);
  },
};

function writeStatus(set: KubeObject, cluster: Cluster): void {
  const pods = [...podsByName(set, cluster).values()].filter(isActive);
  const ready = pods.filter(isReady).length;
  const counts = { readyReplicas: ready, currentReplicas: pods.length, updatedReplicas: pods.length };
  putStatus(set, cluster, {
    observedGeneration: set.metadata.generation ?? 1,
    replicas: pods.length,
    ...withoutZeros(counts),
    availableReplicas: ready,
    currentRevision: `${set.metadata.name}-1`,
    updateRevision: `${set.metadata.name}-1`,
    collisionCount: 0,
  });
}

function podsByName(set: KubeObject, cluster: Cluster): Map<string, KubeObject> {
  return new Map(controlledBy(set, '/pods', cluster).map((pod) => [pod.metadata.name, pod]));
}

function ordinalLabels(name: string, ordinal: number): Record<string, string> {
  return {
    'statefulset.kubernetes.io/pod-name': name,
    'apps.kubernetes.io/pod-index': String(ordinal),
  };
}

function ordinalOf({ metadata }: KubeObject): number {
  return Number(metadata.name.slice(metadata.name.lastIndexOf('-') + 1));
}
