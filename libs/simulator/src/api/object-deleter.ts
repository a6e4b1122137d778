import type { JsonObject } from '#kernel';
import type { SimulationClock } from '../clock/simulation-clock.ts';
import { type KubeObject, numberAt, objectAt, textAt, toKubeTime } from '../objects/kube-object.ts';
import { type ResourceDefinition, resourceKey } from '../registry/resource-definition.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import type { ObjectAddress } from './object-address.ts';
import { conflict, invalid, notFound } from './status-error.ts';

/** `DeleteOptions`, from the body or the query. */
export interface DeleteOptions {
  readonly propagationPolicy?: string | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions?: JsonObject | undefined;
  readonly dryRun?: boolean | undefined;
}

/** What is left after a delete: an object on its way out, or nothing. */
export interface Deletion {
  readonly object: KubeObject;
  readonly isGone: boolean;
}

/** The finalizer that makes the collector delete the dependents first. */
export const foreground = 'foregroundDeletion';
/** The finalizer that makes the collector set the dependents free. */
export const orphan = 'orphan';

const policies = ['Foreground', 'Background', 'Orphan'];

/** Deletes objects: at once, or by a deletion timestamp where a finalizer or a running pod must be waited for. */
export class ObjectDeleter {
  readonly #store: ObjectStore;
  readonly #clock: SimulationClock;

  constructor(store: ObjectStore, clock: SimulationClock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Deletes one object. Dependents follow through the garbage collector.
   *
   * @throws StatusError 404, 409 where a precondition does not hold, 422 for an unknown propagation policy
   */
  delete({ resource, namespace, name }: ObjectAddress, options: DeleteOptions): Deletion {
    const key = resourceKey(resource);
    const live = this.#store.get({ resource: key, namespace, name });
    if (live === undefined) throw notFound(resource, name);
    checkOptions(options);
    checkPreconditions(resource, live, options.preconditions);
    const finalizers = [...new Set([...(live.metadata.finalizers ?? []), ...policyFinalizer(options)])];
    const grace = key === '/pods' ? podGrace(live, options) : 0;
    const waits = finalizers.length > 0 || grace > 0 || key === '/namespaces';
    if (options.dryRun === true) return { object: live, isGone: !waits };
    // As upstream: a pod gets its deletionTimestamp before it goes, also without a finalizer.
    if (!waits && key === '/pods') {
      const marked = this.#markDeleted(resource, live, { finalizers, grace });
      return { object: this.#store.remove(key, marked), isGone: true };
    }
    if (!waits) return { object: this.#store.remove(key, live), isGone: true };
    return { object: this.#markDeleted(resource, live, { finalizers, grace }), isGone: false };
  }

  #markDeleted(
    resource: ResourceDefinition,
    live: KubeObject,
    { finalizers, grace }: { readonly finalizers: readonly string[]; readonly grace: number },
  ): KubeObject {
    const { metadata } = live;
    const isFirst = metadata.deletionTimestamp === undefined;
    const generation =
      resource.hasGeneration && isFirst ? { generation: (metadata.generation ?? 0) + 1 } : {};
    const marked: KubeObject = {
      ...live,
      metadata: {
        ...metadata,
        ...generation,
        ...(finalizers.length === 0 ? {} : { finalizers }),
        deletionTimestamp: metadata.deletionTimestamp ?? toKubeTime(this.#clock.now() + grace * 1000),
        deletionGracePeriodSeconds: metadata.deletionGracePeriodSeconds ?? grace,
      },
    };
    const key = resourceKey(resource);
    if (key !== '/namespaces') return this.#store.put(key, marked);
    return this.#store.put(key, { ...marked, status: { ...objectAt(live, 'status'), phase: 'Terminating' } });
  }
}

function checkOptions({ propagationPolicy: policy }: DeleteOptions): void {
  if (policy === undefined || policies.includes(policy)) return;
  const supported = [...policies, 'nil'].map((name) => JSON.stringify(name)).join(', ');
  const message = `Unsupported value: ${JSON.stringify(policy)}: supported values: ${supported}`;
  throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [
    { reason: 'FieldValueNotSupported', field: 'propagationPolicy', message },
  ]);
}

function checkPreconditions(
  { group, kind }: ResourceDefinition,
  live: KubeObject,
  preconditions: JsonObject | undefined,
): void {
  const { name, uid, resourceVersion } = live.metadata;
  // Upstream names the kind here, where every other error names the resource.
  const resource = { group, kind, plural: kind };
  const wantedUid = textAt(preconditions, 'uid') ?? uid;
  if (wantedUid !== uid) {
    const cause = `the UID in the precondition (${wantedUid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw conflict(resource, name, cause);
  }
  const wantedVersion = textAt(preconditions, 'resourceVersion') ?? resourceVersion;
  if (wantedVersion === resourceVersion) return;
  const cause = `the ResourceVersion in the precondition (${wantedVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
  throw conflict(resource, name, cause);
}

function policyFinalizer({ propagationPolicy }: DeleteOptions): readonly string[] {
  if (propagationPolicy === 'Foreground') return [foreground];
  return propagationPolicy === 'Orphan' ? [orphan] : [];
}

/** A pod that a node runs is given time; one that never got there, or has ended, goes at once. */
function podGrace(pod: KubeObject, { gracePeriodSeconds }: DeleteOptions): number {
  const phase = textAt(pod, 'status', 'phase');
  if (textAt(pod, 'spec', 'nodeName') === undefined || phase === 'Succeeded' || phase === 'Failed') return 0;
  return gracePeriodSeconds ?? numberAt(pod, 'spec', 'terminationGracePeriodSeconds') ?? 0;
}

/** 200 with `status: Success`, as a delete that is done answers. */
export function deleted({ group, plural }: ResourceDefinition, object: KubeObject): JsonObject {
  const { name, uid } = object.metadata;
  const details = { name, ...(group === '' ? {} : { group }), kind: plural, uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}
