import type { Bounds, Pass } from '../pass/pass.ts';
import type { SelectedPods } from '../selection/select-pods.ts';

/** What every metric of a pass is computed from. */
export interface MetricContext {
  readonly pass: Pass;
  readonly selected: SelectedPods;
  /** spec.replicas. */
  readonly current: number;
  readonly statusReplicas: number;
  readonly bounds: Bounds;
}
