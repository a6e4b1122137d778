import type { ContestedLease } from '../leases/contested-lease.ts';
import type { ElectionTools } from '../leases/election-tools.ts';
import type { BegunWork } from './begun-work.ts';

/** What it follows from when a scope may be tried. */
interface OpeningParts {
  readonly lease: Pick<ContestedLease, 'stored' | 'seenSince' | 'opensAt'>;
  readonly work: Pick<BegunWork, 'notBefore'>;
  /** Whether the Lease is to be won. */
  readonly isWanted: () => boolean;
}

/** When this process may try to win the Lease of a scope, and for how long others have let pass that they may. */
export class ScopeOpening {
  readonly #parts: OpeningParts;
  readonly #tools: Pick<ElectionTools, 'identity' | 'clock' | 'terms'>;

  constructor(parts: OpeningParts, tools: Pick<ElectionTools, 'identity' | 'clock' | 'terms'>) {
    this.#parts = parts;
    this.#tools = tools;
  }

  /** From when on, by the clock of elections; null: this process does not want it, or knows too little. */
  get at(): number | null {
    const { lease, work, isWanted } = this.#parts;
    const moment = isWanted() ? lease.opensAt : null;
    return moment === null ? null : Math.max(moment, work.notBefore);
  }

  /** Whether it may try now. */
  get isNow(): boolean {
    return this.#isSince(0);
  }

  /** Whether it may try now because another holder has let the Lease expire: the policies of the scope wait. */
  get isAbandoned(): boolean {
    const holder = this.#parts.lease.stored?.record.holder ?? null;
    return this.isNow && holder !== null && holder !== this.#tools.identity;
  }

  /** Whether it may try now because nobody has for as long as a Lease lasts, although it is free: its policies wait. */
  get isUnclaimed(): boolean {
    const { clock, terms } = this.#tools;
    const { seenSince } = this.#parts.lease;
    if (seenSince === null || !this.isNow || this.isAbandoned) return false;
    return clock.elapsed() - seenSince >= terms.leaseDurationMilliseconds;
  }

  /** Whether it may try now, and others have let pass as long as a Lease lasts: its policies wait. */
  get isNeglected(): boolean {
    return this.#isSince(this.#tools.terms.leaseDurationMilliseconds);
  }

  /** Whether others have let pass a time to take it in which each of them looks twice. */
  get isLeftByOthers(): boolean {
    return this.#isSince(this.#tools.terms.retryPeriodMilliseconds);
  }

  /** Whether it may try for so long. */
  #isSince(milliseconds: number): boolean {
    const { at: moment } = this;
    return moment !== null && moment + milliseconds <= this.#tools.clock.elapsed();
  }
}
