import type { JsonObject } from '#kernel';
import type { HpaCondition } from '#ledger';
import type { ScaleTargetRef } from '#policy';
import type { ScaleWriteFailure, VersionRetirementOutcome } from './scale.port.ts';

/** A HorizontalPodAutoscaler that lives in the cluster. */
export interface NativeAutoscaler {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly target: ScaleTargetRef;
  /** The selector text of its target's scale; null where that could not be read. */
  readonly selector: string | null;
  /** The field manager that applies its spec; null where managedFields do not say. */
  readonly manager: string | null;
  /** The field manager that wrote it last, other than Plimsoll's and writers of its status; null: there is none. */
  readonly editor: string | null;
  /** The field manager that wrote its status last, which is the native controller's; null: none has, or managedFields do not say. */
  readonly statusManager: string | null;
  /** Its `plimsoll.dev/policy` annotation; null: not made by Plimsoll. */
  readonly policy: string | null;
  /** Its `plimsoll.dev/until` annotation, RFC 3339; null: nothing that is rendered into it ends. */
  readonly until: string | null;
  /** Whether Plimsoll's field manager is among its managers, or, where managedFields name none, its label says so. */
  readonly isWrittenByPlimsoll: boolean;
  /** When its deletion was asked for, RFC 3339; null: it is not being deleted. */
  readonly terminatingSince: string | null;
  /** What it waits for before it is gone, where it is being deleted; empty otherwise. */
  readonly finalizers: readonly string[];
  /** Uid of its controller owner; null: it has none. */
  readonly ownerUid: string | null;
  /** Of its managed part: its spec, our labels and annotations, its controller. */
  readonly digest: string;
  /** Of its spec alone. */
  readonly specDigest: string;
  /** Null: the native controller has not written it yet, or Plimsoll did not make the HPA. */
  readonly status: NativeAutoscalerStatus | null;
}

/** What the native controller says of an HPA. */
export interface NativeAutoscalerStatus {
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  /** `message` is kept where the status is `False`. */
  readonly conditions: readonly (HpaCondition & { readonly message: string })[];
  readonly metrics: readonly NativeMetricValue[];
}

/** The present value of one metric, as the native controller computed it. */
export interface NativeMetricValue {
  readonly type: string;
  /** `cpu`; of a container `application/cpu`. */
  readonly name: string;
  readonly averageUtilization?: number;
  readonly averageValue?: string;
  readonly value?: string;
}

/** What is known of a namespace's HPAs. After `Unsynced` no scale is written there. */
export type NativeAutoscalerListing =
  | { readonly state: 'Synced'; readonly autoscalers: readonly NativeAutoscaler[] }
  | { readonly state: 'Unsynced'; readonly message: string };

/** An HPA that was made by Plimsoll, and where it is. */
export interface OwnedAutoscaler {
  readonly namespace: string;
  readonly name: string;
  /** Its `plimsoll.dev/policy` annotation. */
  readonly policy: string;
}

/** Which HPA. */
export interface AutoscalerName {
  readonly namespace: string;
  readonly name: string;
}

/** An HPA as it is now, with the object as the API server holds it. */
export interface LiveAutoscaler {
  readonly autoscaler: NativeAutoscaler;
  readonly document: JsonObject;
}

/** `Failed`: it is not known whether there is one. */
export type AutoscalerReading =
  | ({ readonly kind: 'Found' } & LiveAutoscaler)
  | { readonly kind: 'NotFound' }
  | { readonly kind: 'Failed'; readonly message: string };

/**
 * What became of a write of an HPA.
 * - `Written`: the API server took it; `live` is the HPA after it, null after a deletion.
 * - `Failed`: certainly not written. `Conflict` (409): it was changed since it was read, by others, or by the same request
 *   where it was delivered twice: the caller finds out which. `UnfoundedConflict` (409): it is as it was read.
 * - `Unknown`: sent, and no answer came: it may have been written.
 */
export type AutoscalerWriteOutcome =
  | { readonly outcome: 'Written'; readonly live: LiveAutoscaler | null }
  | { readonly outcome: 'Failed' | 'Unknown'; readonly failure: ScaleWriteFailure };

/** A replacement of an HPA, on the version that was observed. */
export interface AutoscalerReplacement {
  /** Made from the one that was observed: what others set of its metadata is in it. */
  readonly document: JsonObject;
  readonly observed: LiveAutoscaler;
  /** Why it is not wanted any more, looked at right before each request; null: it is. */
  unwanted(): ScaleWriteFailure | null;
}

/** A version of an HPA that no request is to take effect on any more. */
export interface AutoscalerVersionRetirement {
  readonly live: LiveAutoscaler;
  /** Why it is not wanted any more, looked at right before the request; null: it is. */
  unwanted(): ScaleWriteFailure | null;
}

/** As {@link VersionRetirementOutcome}. */
export type AutoscalerRetirementOutcome =
  { readonly kind: 'Retired' } | Exclude<VersionRetirementOutcome, { readonly kind: 'Retired' }>;

/** The HPAs of the cluster, kept by an informer: they compete for targets and for pods, and policies are rendered into them. */
export interface NativeAutoscalersPort {
  /** Reads memory only, answers at once, never throws. */
  listAutoscalers(namespace: string): NativeAutoscalerListing;

  /** The HPAs of all namespaces that Plimsoll made. Reads memory only. */
  listOwned(): readonly OwnedAutoscaler[];

  /**
   * The counts that the native controller asked for by an HPA of ours within the last minutes, as its status said. Reads
   * memory only.
   */
  askedLately(name: AutoscalerName): ReadonlySet<number>;

  /** Version of the API server, `v1.36.3`; null where it is not known. Reads memory only. */
  serverVersion(): string | null;

  /** Asks the API server. Never rejects, except when `signal` aborts. */
  readAutoscaler(name: AutoscalerName, signal: AbortSignal): Promise<AutoscalerReading>;

  /**
   * Creates an HPA, field manager `plimsoll`, unknown fields refused. Never rejects, except when `signal` aborts; the
   * write is then in doubt.
   */
  createAutoscaler(document: JsonObject, signal: AbortSignal): Promise<AutoscalerWriteOutcome>;

  /**
   * Replaces an HPA in full, on the uid and version that the document names. After a 409 it reads again: where only its
   * status changed, it tries again, up to 5 times; what others changed of it meanwhile, labels and the like included, would
   * be lost: `Conflict`. Once `unwanted` says why, nothing more is sent: `Failed`.
   */
  replaceAutoscaler(write: AutoscalerReplacement, signal: AbortSignal): Promise<AutoscalerWriteOutcome>;

  /** Deletes an HPA of that uid. One that is not there any more counts as deleted; one of another uid is a `Conflict`. */
  deleteAutoscaler(
    write: AutoscalerName & { readonly uid: string },
    signal: AbortSignal,
  ): Promise<AutoscalerWriteOutcome>;

  /**
   * Changes the version of an HPA, on exactly the version that was read, and nothing of what it does. Never rejects, except
   * when `signal` aborts.
   */
  retireVersion(
    retirement: AutoscalerVersionRetirement,
    signal: AbortSignal,
  ): Promise<AutoscalerRetirementOutcome>;
}
