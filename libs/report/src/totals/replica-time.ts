import { maximumRunSeconds } from '#ledger';

/** A stretch of time with its count; `null`: the count is not known. */
export interface ReplicaSpan {
  readonly from: number;
  readonly until: number;
  readonly replicas: number | null;
}

/** Passes are spread over their interval, and a slow one begins late. */
const slackSeconds = 60;

const defaultIntervalSeconds = 15;

/** The longest interval of a policy. */
const maximumIntervalSeconds = 3_600;

/** Evidence further apart never says anything about the time between. */
export const maximumGapMilliseconds = (maximumRunSeconds + maximumIntervalSeconds + slackSeconds) * 1_000;

/**
 * The count of one policy's target over time, from evidence in the order of its stream. Times are milliseconds since 1970.
 * A count is known between two pieces of evidence that both say it and lie no further apart than a run of decisions
 * (15 minutes), an interval of the policy and a minute.
 */
export class ReplicaTime {
  readonly #take: (span: ReplicaSpan) => void;
  /** Until when all is accounted for; `null`: the policy is not there. */
  #at: number | null;
  #replicas: number | null = null;
  #gapMilliseconds = 0;

  /** `since`: from when on the policy may have been there unseen; `null`: it was not. */
  constructor(take: (span: ReplicaSpan) => void, since: number | null = null) {
    this.#take = take;
    this.#at = since;
    this.interval(defaultIntervalSeconds);
  }

  /** The policy's interval from here on. */
  interval(seconds: number): void {
    this.#gapMilliseconds =
      (maximumRunSeconds + Math.min(seconds, maximumIntervalSeconds) + slackSeconds) * 1_000;
  }

  /** The latest count. */
  get replicas(): number | null {
    return this.#replicas;
  }

  /** The policy is there, and nothing is said of its count. */
  begin(at: number): void {
    this.#at ??= at;
  }

  /** At this time the count was `before`, and from then on `after`; `null`: it is not known. */
  evidence(at: number, before: number | null, after = before): void {
    if (this.#at !== null && at > this.#at) {
      const isKnown = before === this.#replicas && at - this.#at <= this.#gapMilliseconds;
      this.#take({ from: this.#at, until: at, replicas: isKnown ? before : null });
    }
    this.#at = Math.max(this.#at ?? at, at);
    this.#replicas = after;
  }

  /** From the latest evidence on the count was seen again and again until `until`. */
  repeated(until: number, replicas: number | null): void {
    if (this.#at !== null && until > this.#at) this.#take({ from: this.#at, until, replicas });
    this.#at = Math.max(this.#at ?? until, until);
    this.#replicas = replicas;
  }

  /** The policy left: the count is accounted for no more. */
  leave(at: number): void {
    this.end(at);
    this.#at = null;
    this.#replicas = null;
  }

  /** Everything after the last evidence is unknown. */
  end(at: number): void {
    if (this.#at === null || at <= this.#at) return;
    this.#take({ from: this.#at, until: at, replicas: null });
    this.#at = at;
    this.#replicas = null;
  }
}
