import type { ObservedPod } from '#decision';
import type { EffectivePolicy, RecommenderSpec } from '#policy';

/** A recommender that is asked for a count by utilization, between half and nine tenths. */
export const recommender: RecommenderSpec = {
  url: 'http://recommender.example/',
  targetType: 'cpu',
  lowMilli: 500n,
  highMilli: 900n,
  settings: {},
};

/** What makes a policy one whose count a recommender says, in the place of metrics. */
export const recommended = {
  family: 'watermark',
  metrics: [],
  recommender,
} as const satisfies Partial<EffectivePolicy>;

const startTime = '2026-11-20T11:00:00Z';

/** So many pods that have been ready for long. */
export function readyPods(count: number): readonly ObservedPod[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `checkout-${index}`,
    phase: 'Running',
    startTime,
    ready: { status: 'True', lastTransitionTime: startTime },
  }));
}
