import type { StandingIntervention } from '#ledger';
import type { ClockPort } from '../ports/clock.port.ts';

/** So long both clocks have to run alike before the time of day is believed: a glitch is over by then. */
const agreementMilliseconds = 60_000;
/** What clocks that run alike may differ by: an hour's drift, and the small steps that correct it. */
const toleranceMilliseconds = 5_000;
/** An end that is put off is named in whole minutes, so that each look names the same one. */
const roundedToMilliseconds = 60_000;

/** How far the time of day is ahead of the monotonic clock, and since when it has been so, by the latter. */
interface Agreement {
  readonly offset: number;
  readonly since: number;
}

/**
 * When interventions end. What has ended does not come back, so a time of day that has jumped forward ends none: each
 * lasts until it `expires`, and by the monotonic clock at least for as long as was left when this process came to know it.
 * Of one that began in another process that is not known before both clocks have run alike for a minute. Until then a
 * suspension or a dry run holds on, since to stop is the safe side, and an override acts as the time of day has it.
 */
export class InterventionExpiries {
  readonly #clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds'>;
  #agreement: Agreement | null = null;
  /** By id, in milliseconds of the monotonic clock: none of them ends before. */
  readonly #earliest = new Map<string, number>();

  constructor(clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds'>) {
    this.#clock = clock;
  }

  /** One begins now, in this process. */
  noteBeginning(begun: StandingIntervention): void {
    const left = Date.parse(begun.intervention.expires) - this.#now();
    this.#earliest.set(begun.id, this.#clock.monotonicMilliseconds() + left);
  }

  /** Compares the clocks; to be called every few seconds, with all that stand. */
  look(standing: readonly StandingIntervention[]): void {
    const monotonic = this.#clock.monotonicMilliseconds();
    const offset = this.#now() - monotonic;
    const former = this.#agreement;
    const runsOn = former !== null && Math.abs(offset - former.offset) <= toleranceMilliseconds;
    this.#agreement = { offset, since: runsOn ? former.since : monotonic };
    const ids = new Set(standing.map(({ id }) => id));
    for (const id of this.#earliest.keys()) if (!ids.has(id)) this.#earliest.delete(id);
    if (monotonic - this.#agreement.since < agreementMilliseconds) return;
    for (const each of standing) if (!this.#earliest.has(each.id)) this.noteBeginning(each);
  }

  /** Whether its end may be recorded. */
  hasEnded(standing: StandingIntervention): boolean {
    const earliest = this.#earliest.get(standing.id);
    if (earliest === undefined || this.#now() < Date.parse(standing.intervention.expires)) return false;
    return earliest - this.#clock.monotonicMilliseconds() <= toleranceMilliseconds;
  }

  /**
   * When it ends, as the time of day goes now, in milliseconds since 1970: when it `expires`, or later where that has
   * passed and is not believed.
   */
  endOf(standing: StandingIntervention): number {
    const expires = Date.parse(standing.intervention.expires);
    const now = this.#now();
    if (now < expires) return expires;
    const left = this.#leftBeyond(standing);
    if (left <= toleranceMilliseconds) return expires;
    return Math.ceil((now + left) / roundedToMilliseconds) * roundedToMilliseconds;
  }

  /** Milliseconds for which one that should have expired goes on. */
  #leftBeyond({ id, intervention }: StandingIntervention): number {
    const monotonic = this.#clock.monotonicMilliseconds();
    const earliest = this.#earliest.get(id);
    if (earliest !== undefined) return earliest - monotonic;
    if (intervention.kind === 'Override') return 0;
    // At least a moment, until a look has found that the clocks agree.
    const believed = (this.#agreement?.since ?? monotonic) + agreementMilliseconds;
    return Math.max(believed - monotonic, 2 * toleranceMilliseconds);
  }

  #now(): number {
    return Date.parse(this.#clock.now());
  }
}
