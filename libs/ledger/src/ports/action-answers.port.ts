/** The answer that a request with an idempotency key was given. */
export interface ActionAnswer {
  readonly status: number;
  /** `null`: it held a secret, and is not kept. */
  readonly body: string | null;
}

/** A request with an idempotency key. */
export interface BegunAction {
  /** Digest of what was asked for. */
  readonly request: string;
  /** `null`: it is under way, or the process ended before it was answered. */
  readonly answer: ActionAnswer | null;
}

/** Whose request begins, and when; times are RFC 3339. */
export interface ActionBeginning {
  /** The person, whichever of its tokens it comes with. */
  readonly owner: string;
  readonly now: string;
  readonly forgetBefore: string;
}

/** Keeps what requests with an idempotency key were answered with, for a while. Every method throws an `AdapterError`. */
export interface ActionAnswersPort {
  /**
   * Notes that a request begins, and forgets those that began before a time. Nothing younger is forgotten: where a caller
   * has as many as one may, or all have, the request does not begin.
   *
   * @returns the request of that key that began before; `null`: there is none, and this one has begun; `Full`: it has not
   */
  begin(key: string, request: string, beginning: ActionBeginning): Promise<BegunAction | 'Full' | null>;
  finish(key: string, answer: ActionAnswer): Promise<void>;
  /** Nothing is known of the request any more: it may be sent again. */
  forget(key: string): Promise<void>;
}
