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
   * only, answers at once and never throws. A kind that the cluster does not have has none; of one that cannot be watched
   * now, what was seen last counts, and {@link whyUnknown} says so.
   */
  listCompetitors(namespace: string): readonly CompetingAutoscaler[];

  /**
   * Why it is not known what of these kinds there is in the namespace now, in a sentence: a Role does not allow the list, a
   * watch is dead, or it is not known whether the cluster has the kind. Null: it is known. Reads memory only.
   */
  whyUnknown(namespace: string): string | null;
}
