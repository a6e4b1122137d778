import type { ScaleTargetRef } from '#policy';

/** An object of another controller that scales a target. */
export interface CompetingAutoscaler {
  readonly kind: 'ScaledObject' | 'WatermarkPodAutoscaler';
  readonly name: string;
  readonly target: ScaleTargetRef;
  /** The field manager that applies its spec; null where managedFields do not say. */
  readonly manager: string | null;
}

/** KEDA's ScaledObjects and WatermarkPodAutoscalers of the cluster. */
export interface CompetingAutoscalersPort {
  /**
   * Those of the namespace that scale their target: not those that are paused, or whose dry run is on. It reads memory
   * only, answers at once and never throws. A kind that the cluster does not have, or that may not be listed, has none;
   * while a watch is broken what it saw last counts.
   */
  listCompetitors(namespace: string): readonly CompetingAutoscaler[];
}
