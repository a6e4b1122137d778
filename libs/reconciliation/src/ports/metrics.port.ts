import type { ObservedMetric } from '#decision';
import type { MetricSpec } from '#policy';

/** What one policy needs in this tick. */
export interface MetricsQuery {
  readonly namespace: string;
  /** The scale's selector text; PodMetrics are matched by their own labels, never by the pod list. */
  readonly selector: string;
  /** The policy's metrics, in its order. */
  readonly metrics: readonly MetricSpec[];
}

/** The metrics of one tick for the policies of one namespace. */
export interface NamespaceMetrics {
  /**
   * Asks for what several of these policies will ask for, before their passes begin: a pass that finds it there holds
   * nothing while it waits. Resolves when it is there or could not be had; never rejects.
   */
  prepare(policies: readonly Pick<MetricsQuery, 'namespace' | 'metrics'>[]): Promise<void>;

  /**
   * What {@link fetchMetrics} would resolve with, where all of it is there already: nearly always, for what was prepared.
   * Undefined: it is not, or could not be had. Reads memory only.
   */
  presentMetrics(query: MetricsQuery): readonly ObservedMetric[] | undefined;

  /**
   * `observation.metrics`: exactly one entry per metric of the query, in its order. What could not be had is an
   * `{error: {reason, message}}` entry with upstream's reason of the type (`FailedGetResourceMetric`, …), a timeout
   * too: every source has its own timeout, and a source that hangs delays no query that does not need it.
   *
   * Never rejects, except when `signal` aborts (which ends this wait, not what others of the tick wait for).
   */
  fetchMetrics(query: MetricsQuery, signal: AbortSignal): Promise<readonly ObservedMetric[]>;
}

/**
 * The metrics of one tick. All due policies of the tick ask the same object, and each thing is asked of an API once:
 * one PodMetrics list per namespace, one external or custom query per (namespace, metric, selector). So the number of API
 * calls grows with namespaces and metrics, not with policies.
 */
export interface MetricsTick {
  /** For the policies of one namespace: what only they ask for is kept no longer than it. */
  openNamespace(): NamespaceMetrics;
}

/** metrics.k8s.io, custom.metrics.k8s.io, external.metrics.k8s.io and Prometheus. */
export interface MetricsPort {
  /** Starts a tick; nothing is asked before the first `prepare` or `fetchMetrics`, and what namespaces share is kept as long as the tick. */
  openTick(): MetricsTick;
}
