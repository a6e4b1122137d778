import type { ObservedPod } from '#decision';
import type { PodListing, PodQuery, PodsPort } from './pods.port.ts';

/** Pods in memory, by namespace and selector text; nothing is matched by labels. */
export class FakePods implements PodsPort {
  readonly #listings = new Map<string, PodListing>();

  /** What `listPods` gives for this namespace and selector from now on. */
  set(query: PodQuery, pods: readonly ObservedPod[]): void {
    this.#listings.set(keyOf(query), { state: 'Synced', pods });
  }

  /** The cache has no answer from now on. */
  unsync(query: PodQuery): void {
    this.#listings.set(keyOf(query), { state: 'Unsynced', message: 'the pod cache is not synced' });
  }

  listPods(query: PodQuery): PodListing {
    return this.#listings.get(keyOf(query)) ?? { state: 'Synced', pods: [] };
  }
}

function keyOf({ namespace, selector }: PodQuery): string {
  return `${namespace}\n${selector}`;
}
