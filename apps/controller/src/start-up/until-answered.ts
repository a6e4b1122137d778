import type { Configuration } from '#configuration';
import { AdapterError, messageOf } from '#kernel';
import type { ClockPort } from '#reconciliation';
import type { FieldLogger } from '../logging/field-logger.ts';

/** How long the cluster may take to answer first before the start fails. */
export const firstAnswerMilliseconds = 60_000;

/**
 * How long a start asks the API server again. It has answered a process that was fenced, perhaps because it answers no
 * more: such a process waits as long as it takes, and answers reads meanwhile.
 */
export function askingMilliseconds({ wasFenced }: { readonly wasFenced: boolean }): number {
  return wasFenced ? Infinity : firstAnswerMilliseconds;
}

/**
 * How long a start asks its database again, from when it has opened it: a server as long as before that, since what it
 * answers to each question tells nothing of the next one. A file is there or is not.
 */
export function databaseMilliseconds({ database }: Pick<Configuration, 'database'>): number {
  return database.url.startsWith('sqlite:') ? firstAnswerMilliseconds : Infinity;
}

/** Between two attempts: each has waited for its answer before. */
const pauseMilliseconds = 1_000;

/** What is waited for is told again after so long, with the latest reason. */
const tellAgainMilliseconds = 60_000;

/** How something is asked until it answers. */
export interface AnswerOptions {
  /** What is asked, for the log: `database`. */
  readonly of: string;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** No attempt begins later than so many milliseconds after the first; `Infinity`: it is waited for as long as it takes. */
  readonly milliseconds: number;
  readonly clock: Pick<ClockPort, 'monotonicMilliseconds' | 'schedule'>;
  readonly logger: FieldLogger;
}

/**
 * Asks again while no answer comes: a server that is silent for a moment is no reason to end a process, which a kubelet
 * starts again later each time.
 *
 * @throws what the last attempt failed with, or one that will fail again; the signal's reason
 */
export async function untilAnswered(
  ask: () => Promise<void>,
  { of, signal, milliseconds, clock, logger }: AnswerOptions,
): Promise<void> {
  const start = clock.monotonicMilliseconds();
  let toldAt: number | null = null;
  for (;;) {
    try {
      await ask();
      if (toldAt !== null) logger.info({ of }, 'what the start waited for has answered');
      return;
    } catch (error) {
      const now = clock.monotonicMilliseconds();
      // What another process has taken over is not given back.
      const isPassing = error instanceof AdapterError && error.retryable && error.code !== 'Fenced';
      if (!isPassing || now + pauseMilliseconds > start + milliseconds) throw error;
      if (toldAt === null || now - toldAt >= tellAgainMilliseconds) {
        toldAt = now;
        logger.warn({ of, reason: messageOf(error) }, 'the start waits for an answer');
      }
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
