/** An optional value of the observation: null and absent are the same. */
export type Optional<T> = T | null | undefined;

/** A quantity as Kubernetes sends it: text, or a JSON number. One that does not parse is a wrong metric, not a wrong line. */
export type QuantityText = string | number;

/** The state of the cluster and its metrics at one moment. */
export interface Observation {
  /** Now: RFC 3339, any offset. A decision has no other clock. */
  readonly time: string;
  readonly scale: ObservedScale | ObservationFailure;
  readonly target?: Optional<{ readonly uid?: Optional<string> }>;
  /** What the label listing returned; decide does not match labels. */
  readonly pods?: Optional<readonly ObservedPod[]>;
  /** The owners of the pods, their owners, and so on. */
  readonly owners?: Optional<readonly ObservedOwner[] | ObservationFailure>;
  /** One per metric of the policy, in order; a missing one is an invalid metric. */
  readonly metrics?: Optional<readonly (ObservedMetric | null)[]>;
  /** Only with a recommender in the policy. */
  readonly recommendation?: Optional<ObservedRecommendation | ObservationFailure>;
  /** Policies and HPAs, `namespace/name`, whose selector matches one of `pods`. */
  readonly competingPolicies?: Optional<readonly string[]>;
  /** Only with `spec.lifecycle`; absent then means blocked. */
  readonly lifecycle?: Optional<ObservedLifecycle>;
  /** The schedule and freeze windows in force at `time`. */
  readonly windows?: Optional<readonly ObservedWindow[]>;
  readonly interventions?: Optional<readonly Intervention[]>;
}

/** A failed lookup. */
export interface ObservationFailure {
  readonly error: { readonly reason?: Optional<string>; readonly message?: Optional<string> };
}

/** The scale subresource of the target. */
export interface ObservedScale {
  readonly specReplicas: number;
  /** Absent: 0. */
  readonly statusReplicas?: Optional<number>;
  /** Label selector text. Absent: empty, so that nothing can be decided. */
  readonly selector?: Optional<string>;
  readonly error?: null | undefined;
}

/** One pod that the label listing returned. Names are unique. */
export interface ObservedPod {
  readonly name: string;
  readonly uid?: Optional<string>;
  readonly labels?: Optional<Readonly<Record<string, string>>>;
  readonly ownerReferences?: Optional<readonly OwnerReference[]>;
  /** Absent is neither Pending, Failed nor Running. */
  readonly phase?: Optional<string>;
  readonly startTime?: Optional<string>;
  readonly deletionTimestamp?: Optional<string>;
  /** The Ready condition; null: there is none. */
  readonly ready?: Optional<{
    readonly status?: Optional<string>;
    readonly lastTransitionTime?: Optional<string>;
  }>;
  readonly containers?: Optional<readonly ObservedContainer[]>;
  readonly initContainers?: Optional<readonly ObservedContainer[]>;
  /** Pod-level requests. */
  readonly resources?: Optional<{ readonly requests?: Optional<ResourceQuantities> }>;
}

/** Quantities by resource name. */
export type ResourceQuantities = Readonly<Record<string, Optional<QuantityText>>>;

export interface ObservedContainer {
  readonly name?: Optional<string>;
  /** `Always` makes an init container a sidecar. */
  readonly restartPolicy?: Optional<string>;
  readonly requests?: Optional<ResourceQuantities>;
}

/** A reference from an object to its owner, as in Kubernetes metadata. */
export interface OwnerReference {
  readonly apiVersion?: Optional<string>;
  readonly kind?: Optional<string>;
  readonly name?: Optional<string>;
  readonly uid?: Optional<string>;
  readonly controller?: Optional<boolean>;
}

/** An owner of a pod, or an owner's owner. */
export interface ObservedOwner {
  readonly apiVersion?: Optional<string>;
  readonly kind?: Optional<string>;
  readonly name?: Optional<string>;
  readonly uid?: Optional<string>;
  readonly ownerReferences?: Optional<readonly OwnerReference[]>;
}

/**
 * The answer of one metric's source; which fields are read follows from the policy's metric type: `pods` for Resource
 * and ContainerResource (containers) and Pods (value), `value` for Object, `values` for External and Prometheus.
 */
export interface ObservedMetric {
  readonly error?: Optional<{ readonly reason?: Optional<string>; readonly message?: Optional<string> }>;
  readonly pods?: Optional<readonly PodSample[]>;
  readonly value?: Optional<QuantityText>;
  readonly values?: Optional<readonly QuantityText[]>;
  readonly timestamp?: Optional<string>;
}

/** One pod's sample. Names are unique within a metric. */
export interface PodSample {
  readonly pod: string;
  /** Absent: never stale, taken at `time`. */
  readonly timestamp?: Optional<string>;
  /** Absent: 60. */
  readonly windowSeconds?: Optional<number>;
  readonly containers?: Optional<readonly ContainerSample[]>;
  readonly value?: Optional<QuantityText>;
}

/** One container's usage. */
export interface ContainerSample {
  readonly name?: Optional<string>;
  readonly usage?: Optional<ResourceQuantities>;
}

/** A recommender's answer. */
export interface ObservedRecommendation {
  /** Absent or negative: the recommendation is invalid. */
  readonly replicas?: Optional<number>;
  /** Absent: 0. */
  readonly lowerBound?: Optional<number>;
  /** Absent: 0. */
  readonly upperBound?: Optional<number>;
  /** Absent: 0. Truncated toward zero to milli-units. */
  readonly observed?: Optional<QuantityText>;
  readonly reason?: Optional<string>;
  readonly timestamp?: Optional<string>;
  readonly error?: null | undefined;
}

/** The state of the object that may block the policy. */
export interface ObservedLifecycle {
  readonly blocked: boolean;
  readonly reason?: Optional<string>;
  readonly message?: Optional<string>;
}

export type Direction = 'Up' | 'Down' | 'Both';

/** A window in force. */
export type ObservedWindow = ScheduleWindow | FreezeWindow;

/** Replaces the policy's bounds where it names them. */
export interface ScheduleWindow {
  readonly kind: 'Schedule';
  readonly name?: Optional<string>;
  readonly minReplicas?: Optional<number>;
  readonly maxReplicas?: Optional<number>;
  readonly since?: Optional<string>;
  readonly until?: Optional<string>;
}

/** Stops a direction. */
export interface FreezeWindow {
  readonly kind: 'Freeze';
  readonly name?: Optional<string>;
  readonly direction: Direction;
  readonly since?: Optional<string>;
  readonly until?: Optional<string>;
}

/** A person's temporary change to what a policy decides. */
export type Intervention = SuspendIntervention | OverrideIntervention | DryRunIntervention;

interface InterventionBase {
  readonly reason?: Optional<string>;
  readonly actor?: Optional<string>;
  readonly since?: Optional<string>;
  /** Exclusive: at this moment it no longer acts. */
  readonly expires: string;
}

/** Stops a direction; acts last. */
export interface SuspendIntervention extends InterventionBase {
  readonly kind: 'Suspend';
  readonly direction: Direction;
}

/** Replaces bounds, or pins the count. At least one of the three. */
export interface OverrideIntervention extends InterventionBase {
  readonly kind: 'Override';
  readonly minReplicas?: Optional<number>;
  readonly maxReplicas?: Optional<number>;
  readonly replicas?: Optional<number>;
}

/** Lets the policy decide and write nothing, as its own `dryRun: true` does. */
export interface DryRunIntervention extends InterventionBase {
  readonly kind: 'DryRun';
}
