import type { DecideInput, Decision } from '#decision';

/** Keeps what passes saw, as numbers over time, for backtests. */
export interface PassSeriesPort {
  /** Returns at once, never throws. */
  record(input: DecideInput, decision: Decision): void;
}
