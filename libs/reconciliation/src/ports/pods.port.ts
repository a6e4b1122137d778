import type { ObservedPod } from '#decision';

/** Which pods: a namespace and the selector text of a scale (`app=checkout,tier in (a,b)`). */
export interface PodQuery {
  readonly namespace: string;
  readonly selector: string;
}

/** What the pod cache knows. `Unsynced` carries a sentence for a person; after it no scale may be written. */
export type PodListing =
  | { readonly state: 'Synced'; readonly pods: readonly ObservedPod[] }
  | { readonly state: 'Unsynced'; readonly message: string };

/** The slim cache of pods, kept by an informer. */
export interface PodsPort {
  /**
   * The pods of the namespace whose labels match, deleting and failed ones too, in any order; nothing is filtered by
   * owner here. It reads memory only, so it answers at once and never throws.
   *
   * A selector that is empty or does not parse as Kubernetes parses selector text gives an empty `Synced` listing: the
   * decision says `InvalidSelector`. `Unsynced`: the first list has not come in, the namespace is not watched, or
   * the watch has been broken for longer than the adapter trusts its cache.
   */
  listPods(query: PodQuery): PodListing;
}
