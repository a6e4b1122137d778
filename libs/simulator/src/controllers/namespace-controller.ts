import type { KubeObject } from '../objects/kube-object.ts';
import { resourceKey } from '../registry/resource-definition.ts';
import type { Cluster, Controller } from './cluster.ts';

/** Empties a namespace that is being deleted, and then takes it away. */
export const namespaceController: Controller = {
  resource: '/namespaces',
  reconcile: (namespace, cluster) => {
    if (namespace.metadata.deletionTimestamp === undefined) return;
    let left = 0;
    for (const resource of cluster.registry.all())
      if (resource.namespaced) left += emptyResource(resourceKey(resource), namespace.metadata.name, cluster);

    if (left === 0) cluster.store.remove('/namespaces', namespace);
  },
};

/** The number of objects that have to be waited for. */
function emptyResource(key: string, namespace: string, cluster: Cluster): number {
  const objects = cluster.store.list(key, namespace);
  for (const object of objects) deleteOnce(object, namespace, cluster);
  return cluster.store.list(key, namespace).length;
}

function deleteOnce({ apiVersion, kind, metadata }: KubeObject, namespace: string, cluster: Cluster): void {
  const resource = cluster.registry.findKind(apiVersion, kind);
  if (resource === undefined || metadata.deletionTimestamp !== undefined) return;
  cluster.deleter.delete({ resource, namespace, name: metadata.name }, {});
}
