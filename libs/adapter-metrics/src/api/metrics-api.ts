/** One read of an aggregated metrics API. */
export interface MetricsRequest {
  /** Absolute and escaped. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly timeoutMilliseconds?: number;
  readonly maximumBytes?: number;
  readonly signal?: AbortSignal;
  /** What each item of the answered list becomes, as it arrives: a long list is never parsed as a whole. */
  readonly mapItem?: (item: unknown) => unknown;
}

/**
 * Reads JSON of the API server. Every source is given one of its own, with its own bound of concurrent requests, so
 * that a provider that hangs takes no place of another's.
 */
export interface MetricsApi {
  /** @throws AdapterError */
  readonly json: (request: MetricsRequest) => Promise<unknown>;
}

/** A kind's plural and group, through discovery: `ingresses`, `networking.k8s.io`. */
export interface ResourceName {
  readonly resource: string;
  /** Empty for the core group. */
  readonly group: string;
}

/** How long one answer may take. Shorter than the pass that waits for it. */
export const sourceTimeoutMilliseconds = 10_000;
/** PodMetrics of 100,000 pods take some 60 MB. */
export const maximumPodMetricsBytes = 128 * 1024 * 1024;
/** One value per pod for 20,000 pods. */
export const maximumValuesBytes = 8 * 1024 * 1024;
