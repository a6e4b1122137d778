import type { ControllerMode } from '#reconciliation';
import type { PolicyReport } from './policy-reports.ts';
import { type PolicyStanding, type PolicyState, policyStates } from './policy-standing.ts';

/** The policies that a caller may see, counted. */
export interface FleetSummary {
  readonly policies: number;
  readonly mode: ControllerMode;
  /** How long an intervention that begins now may last. */
  readonly maximumInterventionHours: number;
  /** How many have no pass behind them yet. */
  readonly unknown: number;
  readonly states: readonly { readonly state: PolicyState; readonly policies: number }[];
  readonly orphanedHpas: number;
  /** What waits for an approval, or until its source is resumed. */
  readonly holds: number;
  /** Those that act now. */
  readonly interventions: number;
}

/** Counts the standings of policies. */
export class FleetCount {
  readonly #states = new Map<PolicyState, number>();
  readonly #interventions = new Set<unknown>();
  #unknown = 0;

  add(report: PolicyReport | undefined, { states, interventions }: PolicyStanding): void {
    if (report === undefined) this.#unknown += 1;
    for (const state of states) this.#states.set(state, (this.#states.get(state) ?? 0) + 1);
    for (const standing of interventions) this.#interventions.add(standing);
  }

  get summary(): Pick<FleetSummary, 'unknown' | 'states' | 'interventions'> {
    return {
      unknown: this.#unknown,
      states: policyStates.map((state) => ({ state, policies: this.#states.get(state) ?? 0 })),
      interventions: this.#interventions.size,
    };
  }
}
