import type { FailureTreatment } from './request-limits.ts';

/**
 * Counts requests without a valid token since the start, by what was done about them; read when Prometheus asks. `Anonymous`
 * brought none at all, and is no failure.
 */
export class AuthenticationFailures {
  readonly #counts = new Map<FailureTreatment | 'Anonymous', number>();

  readonly count = (treatment: FailureTreatment | 'Anonymous'): void => {
    this.#counts.set(treatment, (this.#counts.get(treatment) ?? 0) + 1);
  };

  get counts(): ReadonlyMap<FailureTreatment | 'Anonymous', number> {
    return this.#counts;
  }
}
