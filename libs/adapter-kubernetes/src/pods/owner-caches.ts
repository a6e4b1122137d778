import { kindKey, type KindName } from '../api/kind-name.ts';
import { WatchedCache, type WatchOptions } from '../informer/watched-cache.ts';
import { type OwnerObject, slimOwner } from '../targets/workload.ts';
import type { WorkloadCache } from '../targets/workload-cache.ts';

/** What the watched kinds say of an owner. `Unknown`: not of a watched kind, or the cache cannot be believed now. */
export type WatchedOwner = { readonly found: OwnerObject } | 'Absent' | 'Unknown';

const kinds = [
  { apiVersion: 'apps/v1', kind: 'ReplicaSet', groupPath: '/apis/apps/v1', resource: 'replicasets' },
  { apiVersion: 'batch/v1', kind: 'Job', groupPath: '/apis/batch/v1', resource: 'jobs' },
] as const;

/** Owners of the kinds that own most pods: ReplicaSets and Jobs as metadata, Deployments and StatefulSets as workloads. */
export class OwnerCaches {
  readonly #owners = new Map<string, WatchedCache<OwnerObject>>();
  readonly #workloads: WorkloadCache;

  constructor(context: WatchOptions, workloads: WorkloadCache) {
    this.#workloads = workloads;
    for (const kind of kinds) {
      const cache = new WatchedCache<OwnerObject>(context, {
        groupPath: kind.groupPath,
        resource: kind.resource,
        representation: 'Metadata',
        transform: (owner) => slimOwner(owner, kind),
      });
      this.#owners.set(kindKey(kind), cache);
    }
  }

  lookUp(kind: KindName, namespace: string, name: string): WatchedOwner {
    const owners = this.#owners.get(kindKey(kind));
    const workloads = this.#workloads.of(kind);
    if ((owners ?? workloads)?.trustOf(namespace).isTrusted !== true) return 'Unknown';
    const found = owners?.get(namespace, name) ?? workloads?.get(namespace, name)?.owner;
    return found === undefined ? 'Absent' : { found };
  }

  /** Whether owners of the kind are watched. */
  isWatched(kind: KindName): boolean {
    return this.#owners.has(kindKey(kind)) || this.#workloads.of(kind) !== undefined;
  }

  values(): readonly WatchedCache<OwnerObject>[] {
    return [...this.#owners.values()];
  }
}
