import { kindKey, type KindName } from '../api/kind-name.ts';
import type { MetadataCaches } from '../targets/metadata-caches.ts';
import type { OwnerObject } from '../targets/workload.ts';
import type { WorkloadCache } from '../targets/workload-cache.ts';

/** What the watched kinds say of an owner. `Unknown`: not of a watched kind, or the cache cannot be believed now. */
export type WatchedOwner = { readonly found: OwnerObject } | 'Absent' | 'Unknown';

const kinds = [
  { apiVersion: 'apps/v1', kind: 'ReplicaSet', groupPath: '/apis/apps/v1', resource: 'replicasets' },
  { apiVersion: 'batch/v1', kind: 'Job', groupPath: '/apis/batch/v1', resource: 'jobs' },
] as const;
const owningKinds: ReadonlySet<string> = new Set(kinds.map(kindKey));

/**
 * Owners of watched kinds: ReplicaSets and Jobs, and whatever else is watched as a target, as metadata; Deployments and
 * StatefulSets as workloads.
 */
export class OwnerCaches {
  readonly #metadata: MetadataCaches;
  readonly #workloads: WorkloadCache;

  constructor(metadata: MetadataCaches, workloads: WorkloadCache) {
    this.#metadata = metadata;
    this.#workloads = workloads;
    for (const kind of kinds) metadata.add({ ...kind, keepsWriter: false });
  }

  lookUp(kind: KindName, namespace: string, name: string): WatchedOwner {
    const owners = this.#metadata.of(kind);
    const workloads = this.#workloads.of(kind);
    if ((owners ?? workloads)?.trustOf(namespace).isTrusted !== true) return 'Unknown';
    const found = owners?.get(namespace, name) ?? workloads?.get(namespace, name)?.owner;
    return found === undefined ? 'Absent' : { found };
  }

  /** Whether every API server serves the kind, so that an owner of it that is not found is gone. */
  isBuiltIn(kind: KindName): boolean {
    return owningKinds.has(kindKey(kind)) || this.#workloads.of(kind) !== undefined;
  }
}
