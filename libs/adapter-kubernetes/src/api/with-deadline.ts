import { AdapterError } from '#kernel';

/** How long a call may take, and what else may end it. */
export interface DeadlineOptions {
  readonly timeoutMilliseconds: number;
  readonly signal?: AbortSignal | undefined;
  /** Named in the error: `GET /api/v1/pods`. */
  readonly what: string;
  /** What the error asks the person who reads it, who may know why. */
  readonly question?: string;
}

/**
 * Runs a call with a signal that is aborted after `timeoutMilliseconds` or with the caller's signal, and leaves no timer or
 * listener behind. A call that ignores the signal is abandoned: the promise resolves or rejects in time whatever `run` does.
 *
 * @throws AdapterError `Timeout` (retryable), or the caller's abort reason.
 */
export async function withDeadline<T>(
  { timeoutMilliseconds, signal, what, question }: DeadlineOptions,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (reason: unknown): void => {
    controller.abort(reason);
    reject(reason instanceof Error ? reason : new Error(String(reason)));
  };
  const timer = setTimeout(() => {
    const asked = question === undefined ? '' : `: ${question}`;
    const message = `${what}: no answer within ${timeoutMilliseconds} ms${asked}`;
    end(new AdapterError({ code: 'Timeout', message, retryable: true }));
  }, timeoutMilliseconds);
  const onAbort = (): void => end(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([run(controller.signal), ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
