import { randomSuffix } from '../api/object-writer.ts';
import { type KubeObject, numberAt } from '../objects/kube-object.ts';
import { isActive, isReady } from '../objects/pod-status.ts';
import { type Cluster, controlledBy, type Controller, putStatus, withoutZeros } from './cluster.ts';
import { createPod } from './pod-template.ts';

/** Keeps `spec.replicas` pods. */
export const replicaSetController: Controller = {
  resource: 'apps/replicasets',
  reconcile: (set, cluster) => {
    if (set.metadata.deletionTimestamp !== undefined) return;
    const pods = controlledBy(set, '/pods', cluster).filter(isActive);
    const wanted = numberAt(set, 'spec', 'replicas') ?? 1;
    const generateName = `${set.metadata.name}-`;
    for (let count = pods.length; count < wanted; count += 1)
      createPod(set, cluster, { name: `${generateName}${randomSuffix()}`, generateName });

    deletePods(pods.toSorted(byExpendability).slice(0, Math.max(0, pods.length - wanted)), cluster);
    const kept = controlledBy(set, '/pods', cluster).filter(isActive);
    const ready = kept.filter(isReady).length;
    const counts = { fullyLabeledReplicas: kept.length, readyReplicas: ready, availableReplicas: ready };
    const observedGeneration = set.metadata.generation ?? 1;
    putStatus(set, cluster, { replicas: kept.length, ...withoutZeros(counts), observedGeneration });
  },
};

/** Deletes pods as their controller does: with their grace. */
export function deletePods(pods: readonly KubeObject[], { deleter, registry }: Cluster): void {
  const resource = registry.find('v1', 'pods');
  if (resource === undefined) return;
  for (const { metadata } of pods)
    deleter.delete({ resource, namespace: metadata.namespace ?? '', name: metadata.name }, {});
}

/** Upstream's order, in short: what is not ready goes first, then what is youngest. */
function byExpendability(left: KubeObject, right: KubeObject): number {
  const readiness = Number(isReady(left)) - Number(isReady(right));
  if (readiness !== 0) return readiness;
  const ages = (right.metadata.creationTimestamp ?? '').localeCompare(left.metadata.creationTimestamp ?? '');
  return ages === 0 ? left.metadata.name.localeCompare(right.metadata.name) : ages;
}
