import { FOREGROUND, ORPHAN } from '../api/object-deleter.ts';
import { type KubeObject, type OwnerReference } from '../objects/kube-object.ts';
import { resourceKey } from '../registry/resource-definition.ts';
import { type ObjectKey } from '../storage/object-store.ts';
import { type Cluster } from './cluster.ts';

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
      putOwners(key, dependent, cluster, others);
    else deleteObject(key, dependent, cluster);
  }
}

/** Ends a foreground or orphaning delete once it may; true when it dealt with the object. */
export function releaseOwner(resource: string, object: KubeObject, cluster: Cluster): boolean {
  const { deletionTimestamp, finalizers = [], uid } = object.metadata;
  if (deletionTimestamp === undefined) return false;
  const dependents = cluster.store.dependentsOf(uid);
  if (finalizers.includes(ORPHAN)) {
    for (const key of dependents) orphan(key, uid, cluster);
    removeFinalizer(resource, object, cluster, ORPHAN);
    return true;
  }
  if (!finalizers.includes(FOREGROUND)) return false;
  for (const key of dependents) {
    const dependent = cluster.store.get(key);
    if (dependent?.metadata.deletionTimestamp === undefined && dependent !== undefined) {
      deleteObject(key, dependent, cluster);
    }
  }
  if (cluster.store.dependentsOf(uid).length === 0) removeFinalizer(resource, object, cluster, FOREGROUND);
  return true;
}

function orphan(key: ObjectKey, uid: string, cluster: Cluster): void {
  const dependent = cluster.store.get(key);
  if (dependent === undefined) return;
  const others = (dependent.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
  putOwners(key, dependent, cluster, others);
}

function putOwners(
  { resource }: ObjectKey,
  object: KubeObject,
  { store }: Cluster,
  owners: readonly OwnerReference[],
): void {
  const ownerReferences = owners.length === 0 ? undefined : owners;
  store.put(resource, { ...object, metadata: { ...object.metadata, ownerReferences } });
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

function removeFinalizer(resource: string, object: KubeObject, { store }: Cluster, finalizer: string): void {
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  if (finalizers.length === 0) store.remove(resource, object);
  else store.put(resource, { ...object, metadata: { ...object.metadata, finalizers } });
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
