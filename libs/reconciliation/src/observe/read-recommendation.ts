import { countReadyReplicas, type Observation } from '#decision';
import { messageOf } from '#kernel';
import { DeadlineExceeded } from '../pass/deadline.ts';
import type { Pass } from '../pass/pass.ts';
import type { RecommendationReading } from '../ports/recommenders.port.ts';
import { withAnswerDeadline } from './answer-deadline.ts';

const theRecommender = 'the recommender';

/**
 * `observation.recommendation`; null: the policy has no recommender, or its lifecycle object blocks it. A recommender is
 * asked once, with the ready pods of what was observed so far; where too few are ready it is not asked at all. One that
 * hangs or breaks gives an error, never no decision.
 */
export async function readRecommendation(
  pass: Pass,
  observation: Observation,
): Promise<RecommendationReading | null> {
  const { ports, options, runtime } = pass;
  const { policy } = runtime.active;
  const { scale, lifecycle } = observation;
  if (policy.recommender === undefined || !('specReplicas' in scale) || lifecycle?.blocked === true)
    return null;
  const ready = countReadyReplicas({
    policy,
    settings: options.settings,
    observation,
    memory: runtime.kept.memory,
  });
  if (!ready.ok) return failed(`the recommender was not asked: ${ready.error}`);
  const { recommender } = policy;
  const query = { policy, recommender, specReplicas: scale.specReplicas, readyReplicas: ready.value };
  return withAnswerDeadline(pass, theRecommender, async (deadline) => {
    try {
      return await deadline.race(ports.recommenders.recommend(query, deadline.signal), theRecommender);
    } catch (error) {
      const late = `no answer within ${deadline.milliseconds / 1000} s`;
      return failed(error instanceof DeadlineExceeded ? late : messageOf(error));
    }
  });
}

function failed(message: string): RecommendationReading {
  return { error: { reason: 'FailedGetResourceMetric', message } };
}
