/** One step of the start: what it opens, the end closes. */
export interface StartStep {
  /** For the log: `the database`. */
  readonly name: string;
  /** Opens it; a step that waits for long ends with the signal's reason once the process is to end. */
  readonly open: (signal: AbortSignal) => Promise<void> | void;
  /** Closes what was opened, also where `open` failed half-way; absent: nothing to close. */
  readonly close?: () => Promise<void>;
  /** How long closing may take before the next step is closed; default 3,000. */
  readonly closeMilliseconds?: number;
}
