import type { ScaleTarget } from '#reconciliation';
import { groupOf } from '../discovery/rest-mapper.ts';
import type { CacheListener } from '../informer/object-cache.ts';
import { WatchedCache, type WatchContext } from '../informer/watched-cache.ts';
import type { ReplicaChangeFeed } from './replica-change-feed.ts';
import { type KindName, slimWorkload, type Workload } from './workload.ts';

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

  /** @param feed told of every change of `spec.replicas` of one and the same object */
  constructor(context: WatchContext, feed: ReplicaChangeFeed) {
    for (const kind of kinds) {
      const cache = new WatchedCache<Workload>(context, {
        groupPath: '/apis/apps/v1',
        resource: kind.resource,
        representation: 'Object',
        transform: (target) => slimWorkload(target, kind),
        listener: publishTo(feed, kind, () => new Date(context.timing.now()).toISOString()),
      });
      this.#caches.set(keyOf(kind), cache);
    }
  }

  /** The cache of a kind, in any version of its group; undefined for other kinds. */
  of(kind: KindName): WatchedCache<Workload> | undefined {
    return this.#caches.get(keyOf(kind));
  }

  values(): readonly WatchedCache<Workload>[] {
    return [...this.#caches.values()];
  }
}

function keyOf({ apiVersion, kind }: KindName): string {
  return `${groupOf(apiVersion)}/${kind}`;
}

function publishTo(feed: ReplicaChangeFeed, kind: KindName, now: () => string): CacheListener<Workload> {
  return ({ before, after, namespace, name }) => {
    if (before === undefined || after === undefined || before.scale.uid !== after.scale.uid) return;
    if (before.scale.specReplicas === after.scale.specReplicas) return;
    const target: ScaleTarget = { apiVersion: kind.apiVersion, kind: kind.kind, name, namespace };
    const { uid, resourceVersion, writer } = after.scale;
    feed.publish({
      target,
      uid,
      from: before.scale.specReplicas,
      to: after.scale.specReplicas,
      manager: writer?.manager ?? null,
      time: writer === undefined || writer.time === '' ? now() : writer.time,
      resourceVersion,
    });
  };
}
