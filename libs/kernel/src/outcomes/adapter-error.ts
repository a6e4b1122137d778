export interface AdapterErrorFields {
  /** Stable and machine-read, in PascalCase: `Timeout`, `Conflict`, `Forbidden`. */
  readonly code: string;
  /** For a person; constant text and values, never a secret. */
  readonly message: string;
  /** Whether the same call may succeed later without a person acting. */
  readonly retryable: boolean;
  /** How long the other side asked to wait. */
  readonly retryAfterMilliseconds?: number | undefined;
  /** `Database`: the one that everything is stored in, which people are told of in other words; absent: any other. */
  readonly system?: 'Database' | undefined;
  /** The caught error, secrets stripped. */
  readonly cause?: unknown;
}

/** A failure of something outside the process: the one error that adapters throw. Secrets are stripped before it is made. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMilliseconds: number | undefined;
  readonly system: AdapterErrorFields['system'];

  constructor({ code, message, retryable, retryAfterMilliseconds, system, cause }: AdapterErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryable = retryable;
    this.retryAfterMilliseconds = retryAfterMilliseconds;
    this.system = system;
  }
}
