import { RecentCounts } from '../../http/recent-counts.ts';
import type { TokenBearer } from '../identities/kubernetes-authenticator.ts';

/** Requests of one caller at a time: a console has a few under way, and each may take tens of megabytes. */
const maximumOfPrincipal = 16;

/** How long failures count against their address. */
const failedMilliseconds = 60_000;

/** A token that was mistyped or has just been replaced is refused at once; after this many failures answers wait. */
const failureBudget = 10;

/** How long such an answer waits. A valid token never does. */
const delayMilliseconds = 1_000;

/** Answers that wait, in all and of one address; beyond them a failure is told to come back. */
const maximumDelayed = 64;
const maximumDelayedOfAddress = 8;

/** Who has nothing under way is still counted, unless many are: a map that changes with every request is made anew often. */
const keptIdle = 1_000;

/** What was done about a request without a valid token. */
export type FailureTreatment = 'Refused' | 'Delayed' | 'TurnedAway';

export interface RequestLimitsOptions {
  /** Hears of every failed authentication. */
  readonly onFailure: (treatment: FailureTreatment, address: string) => void;
  /** Monotonic, in milliseconds. For tests. */
  readonly now?: () => number;
  /** For tests. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

/**
 * Bounds what callers of the API may have under way: each identity so many requests, and strangers so many guesses. It
 * remembers addresses and names in bounded memory, and records nothing.
 */
export class RequestLimits {
  readonly #onFailure: RequestLimitsOptions['onFailure'];
  readonly #wait: NonNullable<RequestLimitsOptions['wait']>;
  readonly #failures: RecentCounts;
  readonly #underWay = new Map<string, number>();
  readonly #delayed = new Map<string, number>();
  #delayedInAll = 0;

  constructor({ onFailure, now = () => performance.now(), wait = timer }: RequestLimitsOptions) {
    this.#onFailure = onFailure;
    this.#wait = wait;
    this.#failures = new RecentCounts(failedMilliseconds, now);
  }

  /** Takes a place of the identity, to be given back with the function; undefined: it has as many as it may. */
  take(principal: string): (() => void) | undefined {
    return (this.#underWay.get(principal) ?? 0) < maximumOfPrincipal
      ? held(this.#underWay, principal)
      : undefined;
  }

  /** Who brings a token from an address. */
  bearerAt(address: string): TokenBearer {
    return { isSuspect: this.#failures.count(address) > failureBudget };
  }

  /** Counts a failed authentication, and resolves when it may be answered; what came of it says how. */
  async fail(address: string): Promise<FailureTreatment> {
    this.#failures.add(address);
    const treatment = this.#treatmentOf(address);
    this.#onFailure(treatment, address);
    if (treatment !== 'Delayed') return treatment;
    const giveBack = held(this.#delayed, address);
    this.#delayedInAll += 1;
    try {
      await this.#wait(delayMilliseconds);
    } finally {
      this.#delayedInAll -= 1;
      giveBack();
    }
    return treatment;
  }

  #treatmentOf(address: string): FailureTreatment {
    if (this.#failures.count(address) <= failureBudget) return 'Refused';
    const isFull =
      this.#delayedInAll >= maximumDelayed || (this.#delayed.get(address) ?? 0) >= maximumDelayedOfAddress;
    return isFull ? 'TurnedAway' : 'Delayed';
  }
}

/** Counts the key up until the function is called, which may be called again. */
function held(counts: Map<string, number>, key: string): () => void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    const left = (counts.get(key) ?? 0) - 1;
    if (left > 0 || counts.size <= keptIdle) counts.set(key, left);
    else counts.delete(key);
  };
}

function timer(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
