import type { RecommendationQuery, RecommendationReading, RecommendersPort } from './recommenders.port.ts';

/** One recommender in memory. */
export class FakeRecommenders implements RecommendersPort {
  /** What the next requests get; `Hangs` heeds not even the signal. */
  answer: RecommendationReading | 'Hangs' = {};
  /** What was asked, in order. */
  readonly queries: RecommendationQuery[] = [];

  recommend(query: RecommendationQuery): Promise<RecommendationReading> {
    this.queries.push(query);
    if (this.answer === 'Hangs') return new Promise(() => undefined);
    return Promise.resolve(this.answer);
  }
}
