/** How long an intervention may last, as the configuration of this process says now. */
export class InterventionLimit {
  #maximumHours: number;

  constructor({ maximumHours }: { readonly maximumHours: number }) {
    this.#maximumHours = maximumHours;
  }

  /** `interventions.maximumHours`: 1 to 168. */
  get maximumHours(): number {
    return this.#maximumHours;
  }

  /** Lets interventions that begin from now on last so long. */
  reconfigure({ maximumHours }: { readonly maximumHours: number }): void {
    this.#maximumHours = maximumHours;
  }
}
