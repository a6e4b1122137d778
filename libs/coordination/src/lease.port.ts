/** What a Lease of `coordination.k8s.io/v1` says. */
export interface LeaseRecord {
  /** The identity that holds it; null: it was released. */
  readonly holder: string | null;
  /** How long it lasts without a renewal; null: it does not say, as one edited by hand may not. */
  readonly durationMilliseconds: number | null;
  /** RFC 3339 by the holder's clock, for people: no machine's clock is compared with another's. */
  readonly acquireTime: string | null;
  /** RFC 3339 by the holder's clock, for people. */
  readonly renewTime: string | null;
  /** How often it changed hands. It begins anew with a new Lease, so nothing is fenced by it. */
  readonly transitions: number;
  /** How other replicas reach the holder's admin API; null: it is not said. */
  readonly advertisedUrl: string | null;
  /** Whether the replica whose own Lease it is takes shards; true of every other Lease. */
  readonly takesShards: boolean;
  /** Whether the database answers the replica whose own Lease it is; true of every other Lease. */
  readonly reachesDatabase: boolean;
  /** The release of the replica whose own Lease it is; null: it is not said, and of every other Lease. */
  readonly version: string | null;
  /**
   * Digests of what the replica whose own Lease it is does its work by, for the others to compare; null: it is not said,
   * and of every other Lease.
   */
  readonly settings: string | null;
}

/** A Lease as the API server has it. */
export interface StoredLease {
  readonly name: string;
  /** Of this Lease and none of its name that was made after it. */
  readonly uid: string;
  readonly resourceVersion: string;
  readonly record: LeaseRecord;
}

/** What became of a write of a Lease. A refusal leaves the Lease as it was. */
export type LeaseWrite =
  | { readonly kind: 'Written'; readonly lease: StoredLease }
  /** It is another version by now, exists already, or does not exist any more. */
  | { readonly kind: 'Conflict' };

/** How Leases are written. */
export type LeaseVerb = 'create' | 'update' | 'delete';

/**
 * The Leases of one installation. Every call ends within the timeout of its implementation and throws an `AdapterError`
 * where the API server fails or refuses; after a write that threw, the Lease may be written or not.
 */
export interface LeasePort {
  /** All of them, in the order of their names, read from the API server itself and not from a cache. */
  list(signal?: AbortSignal): Promise<readonly StoredLease[]>;
  /**
   * `Conflict`: there is one of that name. One that is aborted may have been made.
   *
   * @throws AdapterError `NotFound` where there is no namespace to make one in
   */
  create(name: string, record: LeaseRecord, signal?: AbortSignal): Promise<LeaseWrite>;
  /** Replaces the version that was read. `Conflict`: it is not the present one. One that is aborted may have been made. */
  update(observed: StoredLease, record: LeaseRecord, signal?: AbortSignal): Promise<LeaseWrite>;
  /** Deletes the version that was read; one that is gone or has changed is left. */
  delete(observed: StoredLease): Promise<void>;
  /** Finds out whether Leases may be written so, by a dry run: nothing is stored. @throws AdapterError `Forbidden` */
  rehearse(verb: LeaseVerb, name: string): Promise<void>;
}
