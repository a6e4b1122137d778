import type { ObservedOwner, ObservedPod } from '#decision';
import type { ReadFailure } from './read-failure.ts';

/** Whose chains are followed. */
export interface OwnersQuery {
  /** The policy that asks, `shop/checkout`: its own filter cache answers. */
  readonly policy: string;
  readonly namespace: string;
  readonly pods: readonly ObservedPod[];
}

/** `observation.owners`: every owner that was found on any chain, once; or why the lookup failed. */
export type OwnersReading = readonly ObservedOwner[] | { readonly error: ReadFailure };

/** Owner objects, as metadata: from informers, or GETs through a cache. */
export interface OwnersPort {
  /**
   * Follows every owner reference (not only controllers') of the pods, breadth first, at most 10 levels, cycles cut.
   * An owner that a live GET confirms as gone is simply not in the list; a lookup that could not be confirmed either
   * way (timeout, 403, 5xx, unsynced cache) is an `error`, and the whole filter then falls back.
   *
   * Never rejects, except when `signal` aborts.
   */
  resolveOwners(query: OwnersQuery, signal: AbortSignal): Promise<OwnersReading>;

  /** What {@link OwnersPort.resolveOwners} would give without asking the API server; undefined where it would ask. */
  listWatchedOwners(query: OwnersQuery): readonly ObservedOwner[] | undefined;

  /** The policy's filter begins anew: its next lookups believe nothing read before. Other policies lose nothing. */
  clearFilterCache(policy: string): void;
}
