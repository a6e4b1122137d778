import { AdapterError } from '#kernel';
import { ProblemError } from '../../http/problem-error.ts';
import { unanswered } from '../callers/refusal-problems.ts';

/** So many reviews in a row that got no answer begin a pause: one of them may have met a connection that had died. */
const unansweredUntilPause = 3;

/** How long a pause is. Then one review at a time finds out whether the API server answers again. */
const pauseMilliseconds = 5_000;

/** Keeps reviews from an API server that does not answer: each would wait for its deadline, in a place of others. */
export class ReviewPauses {
  readonly #now: () => number;
  #unanswered = 0;
  #endsAt = 0;
  #isTrying = false;

  /** `now` is monotonic, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** @throws ProblemError `Unavailable` during a pause */
  requireNone(): void {
    if (this.#isDue && (this.#isTrying || this.#now() < this.#endsAt)) throw new ProblemError(unanswered);
  }

  /**
   * Does the review, and learns from it whether the API server answers.
   *
   * @throws what the review throws; ProblemError `Unavailable` during a pause
   */
  async run<T>(review: () => Promise<T>): Promise<T> {
    this.requireNone();
    const isTrial = this.#isDue;
    this.#isTrying = isTrial;
    try {
      const value = await review();
      this.#unanswered = 0;
      return value;
    } catch (error) {
      this.#note(error);
      throw error;
    } finally {
      if (isTrial) this.#isTrying = false;
    }
  }

  get #isDue(): boolean {
    return this.#unanswered >= unansweredUntilPause;
  }

  /** A refusal that stays is an answer. */
  #note(error: unknown): void {
    const isAnswer = !(error instanceof AdapterError && error.retryable);
    this.#unanswered = isAnswer ? 0 : this.#unanswered + 1;
    this.#endsAt = this.#now() + pauseMilliseconds;
  }
}
