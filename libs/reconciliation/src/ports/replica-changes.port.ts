import type { ScaleTarget } from '../policies/scale-target.ts';

/** A change of a target's `spec.replicas` that the watch saw. */
export interface ReplicaChange {
  readonly target: ScaleTarget;
  readonly uid: string;
  readonly from: number;
  /**
   * The object's version at which the count was last seen to be `from`. After a gap it may lie before a count that the
   * listener knows from elsewhere, as of a write of its own: then `from` is not the count that was changed.
   */
  readonly fromVersion: string;
  readonly to: number;
  /** The field manager that owns `spec.replicas` after the change; null where managedFields do not say. */
  readonly manager: string | null;
  /** When it was written as far as managedFields say, else when it was seen. RFC 3339. */
  readonly time: string;
  /** The object's version after the change, by which changes that are already accounted for are told apart. */
  readonly resourceVersion: string;
}

/** Receives changes in the order of the watch. It returns at once and never throws. */
export type ReplicaChangeListener = (change: ReplicaChange) => void;

/** The watch over targets' replica counts. */
export interface ReplicaChangesPort {
  /**
   * Reports every change of a watched target from now on, Plimsoll's own writes too (the listener knows which are
   * its own). A relist after a gap reports one change per target, from the count known before to the present one.
   *
   * @returns a function that ends the subscription.
   */
  subscribe(listener: ReplicaChangeListener): () => void;

  /**
   * Reports every target whose selector has changed, which was deleted, or was deleted and made again, from now on.
   *
   * @returns a function that ends the subscription.
   */
  subscribeToSelectors(listener: (target: ScaleTarget) => void): () => void;

  /**
   * Whether every change of the target up to this version has been reported; else a promise that resolves as soon as it
   * has. Of a target that no live watch covers nothing will be reported, which counts as `Reached`.
   */
  reached(target: ScaleTarget, resourceVersion: string): 'Reached' | Promise<void>;
}
