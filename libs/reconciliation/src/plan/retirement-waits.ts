import { addSeconds, parseInstant, toMillisecondText } from '#kernel';
import type { Moment } from '../ports/clock.port.ts';
import { type BackOff, backOffAfter, noBackOff, remainingSeconds, waitSeconds } from './back-off.ts';

/** More load may be what waits for the answer. */
const direction = 'Up';

/**
 * How long the request waits that makes the version of an unanswered write a former one. It fails for as long as the write
 * does, as by an admission webhook that does not answer, and each that gets no answer holds a place that other policies need.
 */
export class RetirementWaits {
  #backOff: BackOff = noBackOff;
  #why = '';

  /** Takes why a request failed. @returns the same, with how often it has and when the next one is sent */
  note(why: string, now: Moment): string {
    this.#backOff = backOffAfter(this.#backOff, now);
    this.#why = why;
    return this.#describe();
  }

  /** Why none is sent at a time, in milliseconds of a clock that never goes back; null: one may be. */
  waitAt(now: number): string | null {
    const { begun } = this.#backOff;
    return begun === null || remainingSeconds(begun, direction, now) === 0 ? null : this.#describe();
  }

  /** It is known what became of the write. */
  clear(): void {
    this.#backOff = noBackOff;
    this.#why = '';
  }

  #describe(): string {
    const { begun, recent } = this.#backOff;
    const last = parseInstant(recent.at(-1)?.time ?? '');
    if (begun === null || last === undefined) return this.#why;
    const next = toMillisecondText(addSeconds(last, waitSeconds(begun, direction)));
    return `${this.#why}; failed ${begun.count} times, next attempt at ${next}`;
  }
}
