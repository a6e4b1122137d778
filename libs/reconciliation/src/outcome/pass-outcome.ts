import type { Condition } from '#decision';

/**
 * What became of one pass over one policy, named by what happens next.
 * - `Done`: decided, written where a write was due, and recorded.
 * - `Waiting`: nothing is wrong that will not right itself; the next pass looks again.
 * - `Stalled`: a person must act; looking again changes nothing, and is done anyway.
 * - `Failed`: something that should work did not; the next pass tries again.
 * - `Bug`: our own mistake; the policy is left alone until its next pass.
 */
export type PassOutcome =
  | { readonly kind: 'Done'; readonly reason: DoneReason; readonly message: string }
  | {
      readonly kind: 'Waiting';
      /**
       * - `CacheNotSynced`: a cache has no answer to be trusted.
       * - `CompetitorsUnknown`: a policy of the namespace has not looked yet, so it is not known who shares pods;
       *   scaling down waits for it. Or it is not known whether an autoscaler of another controller scales the target:
       *   scaling down waits, and no HPA is made.
       * - `PodsUnknown`: the pod cache knows fewer pods than the target counts; scaling down by pods waits for it.
       * - `PolicyChanged`: the policy left, or changed, before its decision was recorded or carried out.
       * - `RestoreDelayed`: the policy was disabled, and a freeze delays the restoring of its `replicas`.
       * - `HpaChanged`: the HPA was changed between the read and the write.
       * - `HpaLeaving`: the policy's HPA is being deleted.
       * - `HpaUnknown`: the policy's HPA is to be written, and could not be read.
       * - `ScaleChanged`: the scale changed under every attempt.
       * - `ShardNotHeld`: this process may not write for the policy any more.
       * - `TargetLeaving`: another policy has left the name or the target, and its record cannot be completed yet.
       * - `WriteInDoubt`: a write was sent and not answered; the next pass finds out first.
       * - upstream's reason, such as `FailedGetResourceMetric`, where a metric, the scale or the lifecycle object kept
       *   the count; `Holding` where upstream has none.
       */
      readonly reason: Condition['reason'];
      readonly message: string;
      /** Of `CacheNotSynced`: of which resource the cache is. */
      readonly cache?: CachedResource;
    }
  | { readonly kind: 'Stalled'; readonly reason: StalledReason; readonly message: string }
  | { readonly kind: 'Failed'; readonly reason: FailedReason; readonly message: string }
  | { readonly kind: 'Bug'; readonly reason: 'Bug'; readonly message: string };

/** A kind as the API names it; the core group is empty. */
export interface CachedResource {
  readonly group: string;
  readonly resource: string;
}

/** `DryRun` and `Observing` decided and recorded a change that by its configuration is not made. */
type DoneReason =
  'Scaled' | 'Unchanged' | 'HpaCreated' | 'HpaUpdated' | 'HpaDeleted' | 'HpaAdopted' | 'DryRun' | 'Observing';

export type StalledReason =
  /** The target's selector is empty or does not parse. */
  | 'InvalidSelector'
  /** Another policy or HPA selects the same pods. */
  | 'AmbiguousSelector'
  /** Another autoscaler scales the target. */
  | 'Conflict'
  /** Others undo what Plimsoll writes, so writes wait. */
  | 'Contested'
  /** The API server does not keep a field of the policy's HPA, or refuses it as a whole. */
  | 'FieldNotSupported'
  /** The policy's namespace is not among those that this controller manages. */
  | 'NamespaceNotManaged'
  /** The API server refuses the write, and will refuse it again. */
  | 'WriteRefused';

export type FailedReason =
  | 'FailedGetScale'
  | 'FailedUpdateScale'
  | 'FailedUpdateHpa'
  /** Nothing could be recorded, so nothing was written. */
  | 'LedgerUnavailable'
  /** The pass took longer than it may. */
  | 'PassTimedOut'
  /** Something outside failed in a way that its port does not foresee. */
  | 'AdapterFailed';
