import { AdapterError, messageOf } from '#kernel';
import type { ClockPort } from '#reconciliation';

/** Between two attempts: each has waited for its answer before. */
const pauseMilliseconds = 1_000;

/** How something is asked until it answers. */
export interface AnswerOptions {
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** No attempt begins later than so many milliseconds after the first. */
  readonly milliseconds: number;
  readonly clock: Pick<ClockPort, 'monotonicMilliseconds' | 'schedule'>;
  readonly logger: { warn(fields: object, message: string): void };
}

/**
 * Asks again while no answer comes: a server that is silent for a moment is no reason to end a process, which a kubelet
 * starts again later each time.
 *
 * @throws what the last attempt failed with, or one that will fail again; the signal's reason
 */
export async function untilAnswered(
  ask: () => Promise<void>,
  { signal, milliseconds, clock, logger }: AnswerOptions,
): Promise<void> {
  const last = clock.monotonicMilliseconds() + milliseconds;
  for (let isFirst = true; ; isFirst = false) {
    try {
      await ask();
      return;
    } catch (error) {
      const isPassing = error instanceof AdapterError && error.retryable;
      if (!isPassing || clock.monotonicMilliseconds() + pauseMilliseconds > last) throw error;
      if (isFirst) logger.warn({ reason: messageOf(error) }, 'the start waits for an answer');
    }
    await pause(clock, signal);
  }
}

async function pause(clock: Pick<ClockPort, 'schedule'>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const wake = (): void => resolve(undefined);
  const cancel = clock.schedule(pauseMilliseconds, wake);
  signal.addEventListener('abort', wake, { once: true });
  await promise;
  signal.removeEventListener('abort', wake);
  cancel();
  signal.throwIfAborted();
}
