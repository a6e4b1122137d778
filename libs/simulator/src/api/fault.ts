import type { Verb } from './resource-request.ts';

/** Which requests go wrong; what is left out matches everything. */
export interface FaultMatch {
  readonly verb?: Verb | readonly Verb[];
  /** A prefix of the path, or an expression on the path with its query. */
  readonly path?: string | RegExp;
}

/** A way in which a request goes wrong. */
export type Fault =
  /** Answered as ever, but later (on the simulator's clock). */
  | { readonly kind: 'Latency'; readonly milliseconds: number }
  /** Answered with a Status; 429 and 503 may say when to come again. */
  | {
      readonly kind: 'Error';
      readonly code: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** Never answered; the connection stays open. */
  | { readonly kind: 'Hang' }
  /** The connection is cut without an answer. */
  | { readonly kind: 'Reset' }
  /** The watch or list continues from a revision that is forgotten: 410. */
  | { readonly kind: 'Gone' }
  /** The watch is opened, and ends after so many lines. */
  | { readonly kind: 'DropWatch'; readonly afterLines: number }
  /** The watch is opened, and carries nothing, not even its end. */
  | { readonly kind: 'Freeze' }
  /** The watch's events have no object that could be read. */
  | { readonly kind: 'Garble' }
  /** The body is cut in the middle. */
  | { readonly kind: 'Truncate' };

/** A fault, where it strikes, and how often: without `times` until it is removed. */
export interface FaultRule {
  readonly match: FaultMatch;
  readonly fault: Fault;
  readonly times?: number;
}
