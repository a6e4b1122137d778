/**
 * The form of a conformance vector file (YAML). Everything is data; names say what is shown, `source` says which rule.
 * Shorthand that is not given has a boring valid default, so that a row shows only what matters to it.
 */
export interface VectorFile {
  /** The rule in `docs/spec`, by heading: a test resolves it. */
  readonly source: string;
  /** Defaults of every case of the file. */
  readonly given?: VectorGiven;
  readonly cases: readonly VectorCase[];
}

/** One row. */
export interface VectorCase {
  readonly name: string;
  readonly given?: VectorGiven;
  readonly want: VectorWant;
}

/** What a row gives; a case's maps are merged over the file's, its lists replace them. */
export interface VectorGiven {
  /** `AutoscalingPolicy` by default. */
  readonly kind?: 'AutoscalingPolicy' | 'HorizontalPodAutoscaler' | 'WatermarkPodAutoscaler';
  readonly annotations?: Record<string, string>;
  /** Merged over scaleTargetRef checkout, minReplicas 1, maxReplicas 1000. */
  readonly spec?: Record<string, unknown>;
  readonly settings?: Record<string, unknown>;
  /** spec.replicas; status.replicas is the same unless `status` is given. */
  readonly current?: number;
  readonly status?: number;
  /** Groups of like pods; the per-pod samples of metric 0 come from `usage` or `value`. */
  readonly pods?: readonly PodGroup[];
  /** Metrics beside or instead of the pods' samples, as in the decision contract. */
  readonly metrics?: readonly unknown[];
  /** Merged over the whole observation, last. */
  readonly observation?: Record<string, unknown>;
  readonly memory?: Record<string, unknown>;
}

/** Pods that are alike. Times are seconds before the observation. */
export interface PodGroup {
  /** Name prefix; `a` gives a-00, a-01, … */
  readonly name?: string;
  /** 1. */
  readonly count?: number;
  /** Request of container `app` for `resource`; null: none. 100m. */
  readonly request?: string | null;
  /** Usage of container `app`; absent: no sample. */
  readonly usage?: string;
  /** Value of a Pods metric's sample. */
  readonly value?: string;
  /** cpu. */
  readonly resource?: string;
  /** Running. */
  readonly phase?: string;
  /** True, False, Unknown, or null for no condition. True. */
  readonly ready?: string | null;
  /** 3600; null: no start time. */
  readonly started?: number | null;
  /** 3500. */
  readonly readyFor?: number;
  /** 15. */
  readonly sampled?: number;
  /** 60. */
  readonly window?: number;
  readonly deleting?: boolean;
  readonly owners?: readonly unknown[];
  /** Merged over the pod. */
  readonly extra?: Record<string, unknown>;
}

/** What a row wants; only what is named is compared. */
export interface VectorWant {
  readonly error?: { readonly code: string; readonly path?: string };
  readonly desired?: number | null;
  readonly action?: string;
  readonly reason?: string;
  /** Rule ids that must appear, in this order (others may stand between). */
  readonly rules?: readonly string[];
  /** Rule ids that must not appear. */
  readonly noRules?: readonly string[];
  /** The whole decision, as `explain` writes it. */
  readonly explained?: readonly string[];
  /** `AbleToScale: True ReadyForNewScale`; null: absent. */
  readonly conditions?: Record<string, string | null>;
  /** When a condition last changed, in seconds before the observation. */
  readonly transitions?: Record<string, number>;
  /** Conditions of the returned memory, in the form of `conditions`. */
  readonly remembered?: Record<string, string | null>;
  /** All steps, in order; of each only what is named. */
  readonly steps?: readonly Record<string, unknown>[];
  /** A subset of the first metric's report. */
  readonly metric?: Record<string, unknown>;
  /** Subsets of the metrics' reports. */
  readonly metrics?: readonly Record<string, unknown>[];
  readonly selection?: Record<string, unknown>;
  /** A subset of the returned memory; lists are compared whole, null is absent. */
  readonly memory?: Record<string, unknown>;
  /** A subset of `memoryWithoutWrite`, as `memory`. */
  readonly withoutWrite?: Record<string, unknown>;
}
