import type { ScaleTarget } from '../policies/scale-target.ts';
import type { ReadFailure } from './read-failure.ts';

/** Who wrote `spec.replicas` last, from `managedFields`. */
export interface ReplicasWriter {
  readonly manager: string;
  /** RFC 3339. */
  readonly time: string;
}

/** How far the rollout of a workload is. */
export interface Rollout {
  readonly readyReplicas: number;
  /** Pods of the latest template; null: they do not replace the others by themselves (paused, by partition, on delete). */
  readonly updatedReplicas: number | null;
  /** Whether the workload's controller has seen its latest change. */
  readonly isObserved: boolean;
  readonly progressDeadlineSeconds: number;
  /** Why pods that are wanted cannot be made or deleted, as the workload's controller says; null: it does not. */
  readonly failure: string | null;
}

/** A scale as it was read. */
export interface ScaleState {
  /** The target's own uid (a scale carries it). */
  readonly uid: string;
  readonly resourceVersion: string;
  readonly specReplicas: number;
  readonly statusReplicas: number;
  /** Selector text; empty where the target has none. */
  readonly selector: string;
  /** Absent where managedFields do not say. */
  readonly writer?: ReplicasWriter;
  /** Absent where it was read from `/scale`, which says nothing of it. */
  readonly rollout?: Rollout;
}

/**
 * What a scale read gave. `error.reason` is `FailedGetScale`; its message is for a person.
 * `NotFound`: the API server said that there is no such object; `Failed`: it is not known whether there is one.
 */
export type ScaleReading =
  { readonly state: ScaleState } | { readonly error: ReadFailure; readonly cause: 'NotFound' | 'Failed' };

/**
 * `Cached`: may come from an informer, but is never older than a scale that this process read or wrote before.
 * `Live`: asked of the API server now, `writer` included where there is one.
 */
export type ScaleFreshness = 'Cached' | 'Live';

/** Which scale to read, and how fresh. */
export interface ScaleQuery {
  readonly target: ScaleTarget;
  readonly freshness: ScaleFreshness;
}

/** A write of `spec.replicas`, on the scale that the decision was made for. */
export interface ScaleWrite {
  readonly target: ScaleTarget;
  readonly observed: ScaleState;
  /** ≥ 0 and different from `observed.specReplicas`. */
  readonly replicas: number;
  /** Why the write is not wanted any more, looked at right before each request; null or absent: it is. */
  unwanted?(): ScaleWriteFailure | null;
}

/**
 * What became of a write.
 * - `Written`: the API server took it, and the count changed; `state` is the scale after it, whose count is another than
 *   the one asked for where admission made it so.
 * - `Changed`: refused (409), and the scale is another one now (uid, replicas or selector differ), which others made it, or
 *   the same request where it was delivered twice: the caller finds out which.
 * - `Failed`: certainly not written (4xx, or never sent), or taken without any change of the count (`NotKept`).
 * - `Unknown`: sent, and no answer came (timeout, connection lost, 5xx), or a 409 and no scale: it may have been written.
 */
export type ScaleWriteOutcome =
  | { readonly outcome: 'Written'; readonly state: ScaleState }
  | { readonly outcome: 'Changed'; readonly state: ScaleState }
  | { readonly outcome: 'Failed'; readonly failure: ScaleWriteFailure }
  | { readonly outcome: 'Unknown'; readonly failure: ScaleWriteFailure };

/** Why a write was not made, or is not known to be made. */
export interface ScaleWriteFailure {
  /** Stable, PascalCase: `Forbidden`, `NotFound`, `Timeout`, `Conflict`. */
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

/** A version of a scale that no request is to take effect on any more. */
export interface VersionRetirement {
  readonly target: ScaleTarget;
  readonly observed: ScaleState;
  /** Why it is not wanted any more, looked at right before the request; null: it is. */
  unwanted(): ScaleWriteFailure | null;
}

/**
 * What became of making a version a former one.
 * - `Retired`: a request that was made on it is refused from now on; `state` has the same count and another version.
 * - `Changed`: the target has another version than the observed one already.
 * - `Refused`: it cannot be done here, such as without the right to `patch`; the version stands.
 * - `Unknown`: not done, or done without an answer; it may be tried again on a scale that is read anew.
 */
export type VersionRetirementOutcome =
  | { readonly kind: 'Retired'; readonly state: ScaleState }
  | { readonly kind: 'Changed' }
  | { readonly kind: 'Refused' | 'Unknown'; readonly message: string };

/** The scale subresource of any target. */
export interface ScalePort {
  /** The scale that a live watch knows, or a newer one that was read or written here; undefined: ask the API server. */
  cachedScale(target: ScaleTarget): ScaleState | undefined;

  /** Never rejects, except when `signal` aborts. */
  readScale(query: ScaleQuery, signal: AbortSignal): Promise<ScaleReading>;

  /**
   * PUTs the scale with `observed.resourceVersion` and field manager `plimsoll`. After a 409 it re-reads: the same
   * uid, spec.replicas and selector → tried again (5 times, from 10 ms; still refused: `Failed`, code `Conflict`, or
   * `UnfoundedConflict` where the version has not changed either), else `Changed`. Once `unwanted` says why, nothing more
   * is sent: `Failed`. It writes nothing when `observed.uid` is not the target's uid any more.
   *
   * Never rejects, except when `signal` aborts; the write is then in doubt.
   */
  writeScale(write: ScaleWrite, signal: AbortSignal): Promise<ScaleWriteOutcome>;

  /**
   * Changes the target's version, on exactly the version that was observed, and nothing that it says: a request that is
   * under way on that version can then not take effect any more. Never rejects, except when `signal` aborts.
   */
  retireVersion(retirement: VersionRetirement, signal: AbortSignal): Promise<VersionRetirementOutcome>;
}
