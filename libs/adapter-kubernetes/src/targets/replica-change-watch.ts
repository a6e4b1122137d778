import type { ReplicaChangeListener, ReplicaChangesPort, ScaleTarget } from '#reconciliation';
import { isAtLeast } from '../objects/resource-version.ts';
import type { ReplicaChangeFeed } from './replica-change-feed.ts';
import type { WorkloadCache } from './workload-cache.ts';

/** The watch over targets' replica counts, with how far it has come. */
export class ReplicaChangeWatch implements ReplicaChangesPort {
  readonly #feed: ReplicaChangeFeed;
  readonly #workloads: WorkloadCache;

  constructor(feed: ReplicaChangeFeed, workloads: WorkloadCache) {
    this.#feed = feed;
    this.#workloads = workloads;
  }

  subscribe(listener: ReplicaChangeListener): () => void {
    return this.#feed.subscribe(listener);
  }

  subscribeToSelectors(listener: (target: ScaleTarget) => void): () => void {
    return this.#feed.subscribeToSelectors(listener);
  }

  reached(target: ScaleTarget, resourceVersion: string): 'Reached' | Promise<void> {
    // The scale of any other kind is compared, and its change published, when it is read or written.
    const cache = this.#workloads.of(target);
    if (cache?.trustOf(target.namespace).isTrusted !== true) return 'Reached';
    const position = cache.get(target.namespace, target.name)?.scale.resourceVersion;
    if (position !== undefined && isAtLeast(position, resourceVersion)) return 'Reached';
    return this.#feed.whenAdvanced(target, resourceVersion);
  }
}
