import type { ObservedRecommendation } from '#decision';
import type { EffectivePolicy, RecommenderSpec } from '#policy';
import type { ReadFailure } from './read-failure.ts';

/** What one policy asks its recommender. */
export interface RecommendationQuery {
  readonly policy: Pick<EffectivePolicy, 'namespace' | 'name' | 'target' | 'minReplicas' | 'maxReplicas'>;
  readonly recommender: RecommenderSpec;
  readonly specReplicas: number;
  /** Ready pods as the rules count them, at most `status.replicas`. */
  readonly readyReplicas: number;
}

/** `observation.recommendation`. `error.reason` is upstream's, `FailedGetResourceMetric`. */
export type RecommendationReading = ObservedRecommendation | { readonly error: ReadFailure };

/** Services that answer with a replica count. */
export interface RecommendersPort {
  /**
   * Asks once. An answer that is late, too large, an error or no recommendation is an `error`, in words for a person; a
   * recommender that hangs delays no policy that does not name it.
   *
   * Never rejects, except when `signal` aborts.
   */
  recommend(query: RecommendationQuery, signal: AbortSignal): Promise<RecommendationReading>;
}
