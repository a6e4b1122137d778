import type { CompetingAutoscaler, CompetingAutoscalersPort } from './competing-autoscalers.port.ts';

/** Autoscalers of others in memory, the same in every namespace. */
export class FakeCompetingAutoscalers implements CompetingAutoscalersPort {
  competitors: readonly CompetingAutoscaler[] = [];
  /** Why what it lists may not be true any more; null: it is. */
  unknown: string | null = null;

  listCompetitors(): readonly CompetingAutoscaler[] {
    return this.competitors;
  }

  whyUnknown(): string | null {
    return this.unknown;
  }
}
