import type { SimulationClock } from '../clock/simulation-clock.ts';
import type { LoadRegistry } from '../load/load-registry.ts';
import type { LabelRequirement } from '../objects/label-selector.ts';
import type { ResourceRegistry } from '../registry/resource-registry.ts';
import type { ObjectStore } from '../storage/object-store.ts';

/** What the metrics APIs compute from. */
export interface MetricsOptions {
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly clock: SimulationClock;
  readonly load: LoadRegistry;
  /** Samples are taken at whole multiples of this; each stands for the time since the one before. */
  readonly resolutionSeconds: number;
}

/** A request to a metrics API: the path below its version, and its selectors. */
export interface MetricsRequest {
  readonly segments: readonly string[];
  readonly labels: readonly LabelRequirement[];
  readonly metricLabels: readonly LabelRequirement[];
  /** When the latest sample was taken, milliseconds since the epoch. */
  readonly sampledAtMilliseconds: number;
}
