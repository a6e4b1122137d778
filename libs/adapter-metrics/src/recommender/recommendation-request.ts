import type { Json } from '#kernel';
import type { RecommendationQuery } from '#reconciliation';

/**
 * The body of a request, in the protocol's own names.
 *
 * @see docs/spec/watermark-rules.md "Recommender"
 */
export function recommendationRequest(query: RecommendationQuery, cluster: string): Json {
  const { policy, recommender, specReplicas, readyReplicas } = query;
  const { namespace, target, minReplicas, maxReplicas } = policy;
  const { targetType, lowMilli, highMilli, settings } = recommender;
  const { kind, name, apiVersion } = target;
  return {
    targetRef: { kind, name, apiVersion, namespace, cluster },
    state: { desiredReplicas: specReplicas, currentReplicas: specReplicas, readyReplicas },
    constraints: { minReplicas, maxReplicas },
    targets: [
      { type: targetType, lowerBound: Number(lowMilli) / 1_000, upperBound: Number(highMilli) / 1_000 },
    ],
    settings: { ...settings },
  };
}
