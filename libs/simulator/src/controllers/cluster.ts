import type { JsonObject } from '#kernel';
import type { ObjectDeleter } from '../api/object-deleter.ts';
import type { ObjectWriter } from '../api/object-writer.ts';
import type { SimulationClock } from '../clock/simulation-clock.ts';
import { deepEqual } from '../objects/deep-equal.ts';
import { controllerOf, type KubeObject } from '../objects/kube-object.ts';
import { resourceKey } from '../registry/resource-definition.ts';
import type { ResourceRegistry } from '../registry/resource-registry.ts';
import type { ObjectKey, ObjectStore } from '../storage/object-store.ts';

/** How long pods take; seconds on the simulator's clock. */
export interface PodTimings {
  /** From creation until the containers run. */
  readonly runningAfterSeconds: number;
  /** From creation until the pod is ready; not before it runs. */
  readonly readyAfterSeconds: number;
  /** From the deletion timestamp until the pod is gone. */
  readonly goneAfterSeconds: number;
}

/** What controllers work on. They write to the store directly: their fields have no managers. */
export interface Cluster {
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly clock: SimulationClock;
  readonly writer: ObjectWriter;
  readonly deleter: ObjectDeleter;
  readonly podTimings: PodTimings;
}

/** Reconciles one object of one resource with its spec; called after each change of it or of what it controls. */
export interface Controller {
  /** `group/plural`. */
  readonly resource: string;
  readonly reconcile: (object: KubeObject, cluster: Cluster) => void;
}

/** The objects of a resource that this one controls. */
export function controlledBy(owner: KubeObject, resource: string, { store }: Cluster): KubeObject[] {
  return store
    .dependentsOf(owner.metadata.uid)
    .filter((key) => key.resource === resource)
    .flatMap((key) => store.get(key) ?? [])
    .filter((object) => controllerOf(object)?.uid === owner.metadata.uid);
}

/** Writes a status, if it is another one. The object must be the latest. */
export function putStatus(object: KubeObject, cluster: Cluster, status: JsonObject): void {
  if (!deepEqual(object['status'], status)) put(object, cluster, { status });
}

/** Writes a desired state, if it is another one; the generation counts it. The object must be the latest. */
export function putSpec(object: KubeObject, cluster: Cluster, spec: JsonObject): void {
  if (deepEqual(object['spec'], spec)) return;
  const generation = (object.metadata.generation ?? 0) + 1;
  put(object, cluster, { spec, metadata: { ...object.metadata, generation } });
}

function put(object: KubeObject, { store, registry }: Cluster, change: Partial<KubeObject>): void {
  const resource = registry.findKind(object.apiVersion, object.kind);
  if (resource !== undefined) store.put(resourceKey(resource), { ...object, ...change });
}

/** The key of an object that another one names as its controller. */
export function controllerKey(object: KubeObject, registry: ResourceRegistry): ObjectKey | undefined {
  const owner = controllerOf(object);
  const resource = owner && registry.findKind(owner.apiVersion, owner.kind);
  if (owner === undefined || resource === undefined) return undefined;
  return { resource: resourceKey(resource), namespace: object.metadata.namespace ?? '', name: owner.name };
}

/** Counts of 0 are not written, as upstream. */
export function withoutZeros(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}
