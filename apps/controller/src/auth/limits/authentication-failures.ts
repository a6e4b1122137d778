import type { FailureTreatment } from './request-limits.ts';

/** Counts failed authentications since the start, by what was done about them; read when Prometheus asks. */
export class AuthenticationFailures {
  readonly #counts = new Map<FailureTreatment, number>();

  readonly count = (treatment: FailureTreatment): void => {
    this.#counts.set(treatment, (this.#counts.get(treatment) ?? 0) + 1);
  };

  get counts(): ReadonlyMap<FailureTreatment, number> {
    return this.#counts;
  }
}
