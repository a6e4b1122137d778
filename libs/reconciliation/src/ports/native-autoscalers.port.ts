import type { ScaleTargetRef } from '#policy';

/** A HorizontalPodAutoscaler that lives in the cluster. */
export interface NativeAutoscaler {
  readonly name: string;
  readonly uid: string;
  readonly target: ScaleTargetRef;
  /** The selector text of its target's scale; null where that could not be read. */
  readonly selector: string | null;
  /** The field manager that applies its spec; null where managedFields do not say. */
  readonly manager: string | null;
  /** Its `plimsoll.dev/policy` annotation; null: not made by Plimsoll. */
  readonly policy: string | null;
}

/** What is known of a namespace's HPAs. After `Unsynced` no scale is written there. */
export type NativeAutoscalerListing =
  | { readonly state: 'Synced'; readonly autoscalers: readonly NativeAutoscaler[] }
  | { readonly state: 'Unsynced'; readonly message: string };

/** The HPAs of the cluster, kept by an informer: they compete for targets and for pods. */
export interface NativeAutoscalersPort {
  /** Reads memory only, answers at once, never throws. */
  listAutoscalers(namespace: string): NativeAutoscalerListing;
}
