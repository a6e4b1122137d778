import { ProblemError } from '../../http/problem-error.ts';

/** Tokens that are asked about at a time: strangers must not keep the API server busy. */
const maximumReviews = 8;

/** A review takes milliseconds: behind as many as these one waits for less than the bound below. */
const maximumWaiting = 64;

/** How long a token waits to be asked about. */
const waitMilliseconds = 2_000;

interface Waiting {
  readonly isKnown: boolean;
  readonly begin: () => void;
  readonly giveUp: () => void;
}

/** The places in which tokens are asked about; what was accepted before goes first. */
export class ReviewPlaces {
  readonly #wait: (milliseconds: number) => Promise<void>;
  readonly #waiting: Waiting[] = [];
  #underWay = 0;

  /** `wait` is for tests. */
  constructor(wait: (milliseconds: number) => Promise<void> = timer) {
    this.#wait = wait;
  }

  /**
   * Does the review once there is a place.
   *
   * @throws what the review throws; ProblemError `Unavailable` where no place is free within two seconds
   */
  async run<T>(isKnown: boolean, review: () => Promise<T>): Promise<T> {
    if (this.#underWay < maximumReviews) this.#underWay += 1;
    else await this.#place(isKnown);
    try {
      return await review();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#underWay -= 1;
      else next.begin();
    }
  }

  /** Resolves once a place was handed over. */
  async #place(isKnown: boolean): Promise<void> {
    if (this.#waiting.length >= maximumWaiting) this.#makeRoom(isKnown);
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const waiting = { isKnown, begin: () => resolve(undefined), giveUp: () => reject(busy) };
    const before = isKnown ? this.#waiting.filter((other) => other.isKnown).length : this.#waiting.length;
    this.#waiting.splice(before, 0, waiting);
    void this.#wait(waitMilliseconds).then(() => this.#leave(waiting));
    await promise;
  }

  #makeRoom(isKnown: boolean): void {
    const last = this.#waiting.at(-1);
    if (!isKnown || last === undefined || last.isKnown) throw busy;
    this.#leave(last);
  }

  #leave(waiting: Waiting): void {
    const index = this.#waiting.indexOf(waiting);
    if (index < 0) return;
    this.#waiting.splice(index, 1);
    waiting.giveUp();
  }
}

const busy = new ProblemError({
  status: 503,
  code: 'Unavailable',
  detail: 'more tokens of the cluster are asked about than the API server is asked at a time; ask again',
});

function timer(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
