import type { CompetingAutoscaler, CompetingAutoscalersPort } from './competing-autoscalers.port.ts';

/** Autoscalers of others in memory, the same in every namespace. */
export class FakeCompetingAutoscalers implements CompetingAutoscalersPort {
  competitors: readonly CompetingAutoscaler[] = [];

  listCompetitors(): readonly CompetingAutoscaler[] {
    return this.competitors;
  }
}
