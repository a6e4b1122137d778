/** What an {@link AdapterError} is made from. */
export interface AdapterErrorFields {
  /** Stable and machine-read, in PascalCase: `Timeout`, `Conflict`, `Forbidden`. */
  readonly code: string;
  /** For a person; constant text and values, never a secret. */
  readonly message: string;
  /** Whether the same call may succeed later without anybody acting. */
  readonly retryable: boolean;
  /** Where the other side said so: how long to leave it alone. */
  readonly retryAfterMilliseconds?: number | undefined;
  /** What was caught, secrets stripped. */
  readonly cause?: unknown;
}

/** A failure of something outside the process: the one error that adapters throw. Secrets are stripped before it is made. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMilliseconds: number | undefined;

  constructor({ code, message, retryable, retryAfterMilliseconds, cause }: AdapterErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryable = retryable;
    this.retryAfterMilliseconds = retryAfterMilliseconds;
  }
}
