import type { EntryOf, InterventionScope, StandingIntervention } from '#ledger';
import { recordedIntervention } from '#reconciliation';
import { nanosecondsAt } from '../requests/check-query.ts';
import { endingOf, expiryAt, type InterventionEnding } from './intervention-ends.ts';

/** An intervention that acted on a policy, and how it ended. */
export interface PastIntervention {
  readonly standing: StandingIntervention;
  /** Its beginning is recorded as forced; earlier releases did not keep against what. */
  readonly isForced: boolean;
  /** How it ended; null: it had not by the end of the time that was asked for. */
  readonly end: InterventionEnding | null;
}

/** Nanoseconds. No intervention is longer: what acted within a time has begun so long before it at most. */
export const longestIntervention = 168n * 3_600n * 1_000_000_000n;

/** Those of some scopes, each with its end, which comes first in the order of the entries. */
export class PastInterventions {
  readonly #isWanted: (scope: InterventionScope) => boolean;
  readonly #ends = new Map<string, InterventionEnding>();
  readonly #found: PastIntervention[] = [];

  constructor(isWanted: (scope: InterventionScope) => boolean) {
    this.#isWanted = isWanted;
  }

  /** The next, newest first. */
  add({ payload, time }: EntryOf<'OperatorAction'>): void {
    const recorded = recordedIntervention(payload, time);
    if (recorded === null) return;
    const { what, standing } = recorded;
    if (what === 'Ended') {
      this.#ends.set(standing.id, endingOf(standing.intervention, payload, time));
    } else if (this.#isWanted(standing.scope)) {
      const isForced = payload.outcome === 'Forced';
      this.#found.push({ standing, isForced, end: this.#ends.get(standing.id) ?? null });
    }
  }

  /**
   * Those that began last first.
   *
   * @param until Nanoseconds since 1970. What has expired by then has ended, also before that is recorded.
   */
  listBy(until: bigint): readonly PastIntervention[] {
    return this.#found.map((past) => {
      const { expires } = past.standing.intervention;
      if (past.end !== null || nanosecondsAt('expires', expires) >= until) return past;
      return { ...past, end: expiryAt(expires) };
    });
  }
}
