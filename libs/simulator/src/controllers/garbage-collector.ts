import { foreground, orphan } from '../api/object-deleter.ts';
import type { KubeObject, OwnerReference } from '../objects/kube-object.ts';
import { resourceKey } from '../registry/resource-definition.ts';
import type { ObjectKey } from '../storage/object-store.ts';
import type { Cluster } from './cluster.ts';

/**
 * Follows a deletion: dependents without another living owner are deleted, the others lose the reference.
 * A reference to something that never was is left alone, so that a test can have it.
 */
export function collectDependents(uid: string, cluster: Cluster): void {
  for (const key of cluster.store.dependentsOf(uid)) {
    const dependent = cluster.store.get(key);
    if (dependent === undefined) continue;
    const others = (dependent.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
    if (others.some((owner) => exists(owner, key.namespace, cluster)))
      cluster.store.put(key.resource, withOwners(dependent, others));
    else deleteObject(key, dependent, cluster);
  }
}

/** Ends a foreground or orphaning delete once it may; true when it dealt with the object. */
export function releaseOwner(resource: string, object: KubeObject, cluster: Cluster): boolean {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined) return false;
  if (finalizers.includes(orphan)) orphanDependents(resource, object, cluster);
  else if (finalizers.includes(foreground)) deleteDependentsFirst(resource, object, cluster);
  else return false;
  return true;
}

function orphanDependents(resource: string, object: KubeObject, cluster: Cluster): void {
  const { uid } = object.metadata;
  for (const key of cluster.store.dependentsOf(uid)) {
    const dependent = cluster.store.get(key);
    const owners = dependent?.metadata.ownerReferences ?? [];
    const others = owners.filter((owner) => owner.uid !== uid);
    if (dependent !== undefined) cluster.store.put(key.resource, withOwners(dependent, others));
  }
  settleFinalizers(cluster, resource, withoutFinalizer(object, orphan));
}

function deleteDependentsFirst(resource: string, object: KubeObject, cluster: Cluster): void {
  const dependents = cluster.store.dependentsOf(object.metadata.uid);
  for (const key of dependents) {
    const dependent = cluster.store.get(key);
    if (dependent !== undefined && dependent.metadata.deletionTimestamp === undefined)
      deleteObject(key, dependent, cluster);
  }
  if (dependents.length === 0) settleFinalizers(cluster, resource, withoutFinalizer(object, foreground));
}

function withOwners(object: KubeObject, owners: readonly OwnerReference[]): KubeObject {
  const ownerReferences = owners.length === 0 ? undefined : owners;
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function deleteObject(
  { resource: key, namespace, name }: ObjectKey,
  object: KubeObject,
  cluster: Cluster,
): void {
  const resource = cluster.registry.findKind(object.apiVersion, object.kind);
  if (resource === undefined || resourceKey(resource) !== key) return;
  cluster.deleter.delete({ resource, namespace, name }, {});
}

/** An object without finalizers, and on its way out, is gone. */
function settleFinalizers({ store }: Cluster, resource: string, object: KubeObject): void {
  if ((object.metadata.finalizers ?? []).length === 0) store.remove(resource, object);
  else store.put(resource, object);
}

function withoutFinalizer(object: KubeObject, finalizer: string): KubeObject {
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

function exists(
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
  cluster: Cluster,
): boolean {
  const resource = cluster.registry.findKind(apiVersion, kind);
  if (resource === undefined) return false;
  const key = { resource: resourceKey(resource), namespace: resource.namespaced ? namespace : '', name };
  return cluster.store.get(key)?.metadata.uid === uid;
}
