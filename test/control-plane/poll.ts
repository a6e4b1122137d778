import { setTimeout as sleep } from 'node:timers/promises';

/** A probe that is asked again until it gives an answer. */
export interface Poll<T> {
  /** What is waited for, for the message: "timed out after 30 s waiting for …". */
  readonly description: string;
  /** Gives `undefined` as long as the answer is not there yet; what it throws counts as not yet, too. */
  readonly probe: () => Promise<T | undefined>;
  readonly timeoutMilliseconds: number;
  readonly intervalMilliseconds?: number;
  /** Gives a reason as soon as waiting on makes no sense. */
  readonly abandon?: () => string | undefined;
}

const defaultIntervalMilliseconds = 200;

/**
 * Waits for the probe's first answer.
 *
 * @throws Error naming the description and the probe's last failure, after `timeoutMilliseconds` or when abandoned.
 */
export async function eventually<T>(poll: Poll<T>): Promise<T> {
  const deadline = performance.now() + poll.timeoutMilliseconds;
  for (;;) {
    const attempt = await ask(poll.probe);
    if (attempt.answer !== undefined) return attempt.answer;
    const reason =
      poll.abandon?.() ??
      (performance.now() > deadline ? `timed out after ${poll.timeoutMilliseconds / 1000} s` : undefined);
    if (reason !== undefined)
      throw new Error(`${reason}, waiting for ${poll.description}`, { cause: attempt.failure });
    await sleep(poll.intervalMilliseconds ?? defaultIntervalMilliseconds);
  }
}

async function ask<T>(
  probe: () => Promise<T | undefined>,
): Promise<{ answer?: T | undefined; failure?: unknown }> {
  try {
    return { answer: await probe() };
  } catch (failure) {
    return { failure };
  }
}
