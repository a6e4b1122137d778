import type { ScaleTarget } from '#reconciliation';
import { kindKey, type KindName } from '../api/kind-name.ts';
import type { CacheListener } from '../informer/object-cache.ts';
import { WatchedCache, type WatchOptions } from '../informer/watched-cache.ts';
import type { ReplicaChangeFeed } from './replica-change-feed.ts';
import { slimWorkload, type Workload } from './workload.ts';

const kinds = [
  { apiVersion: 'apps/v1', kind: 'Deployment', resource: 'deployments' },
  { apiVersion: 'apps/v1', kind: 'StatefulSet', resource: 'statefulsets' },
] as const;

/**
 * Deployments and StatefulSets, watched whole and kept slim: their counts are needed at every pass, and a read of
 * `/scale` for each would make API calls grow with policies.
 */
export class WorkloadCache {
  readonly #caches = new Map<string, WatchedCache<Workload>>();

  /** @param feed receives every change of `spec.replicas` of one and the same object */
  constructor(context: WatchOptions, feed: ReplicaChangeFeed) {
    for (const kind of kinds) {
      const cache = new WatchedCache<Workload>(context, {
        groupPath: '/apis/apps/v1',
        resource: kind.resource,
        representation: 'Object',
        transform: (target) => slimWorkload(target, kind),
        versionOf: ({ scale }) => scale.resourceVersion,
        listener: publishTo(feed, kind, context.timing.now),
      });
      this.#caches.set(kindKey(kind), cache);
    }
  }

  /** The cache of a kind, in any version of its group; undefined for other kinds. */
  of(kind: KindName): WatchedCache<Workload> | undefined {
    return this.#caches.get(kindKey(kind));
  }

  values(): readonly WatchedCache<Workload>[] {
    return [...this.#caches.values()];
  }
}

function publishTo(feed: ReplicaChangeFeed, kind: KindName, now: () => number): CacheListener<Workload> {
  return ({ before, after, namespace, name }) => {
    const target: ScaleTarget = { apiVersion: kind.apiVersion, kind: kind.kind, name, namespace };
    feed.publish(target, { before: before?.scale, after: after?.scale, now: now() });
    if (after !== undefined) feed.advance(target, after.scale.resourceVersion);
  };
}
