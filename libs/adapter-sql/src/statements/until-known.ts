import { setTimeout as wait } from 'node:timers/promises';
import { AdapterError } from '#kernel';
import { outcomeUnknown } from '#ledger';

/** About the time that a failover takes; then the caller learns that the outcome is unknown. */
const maximumAttempts = 30;
const pauseMilliseconds = 1_000;

/**
 * Runs a transaction again while its answer is lost. From the second attempt on it must refuse what an earlier one did.
 *
 * @param run is given the number of the attempt, from 1.
 * @throws AdapterError; nothing was stored, except perhaps where the code is {@link outcomeUnknown}.
 */
export async function untilKnown<T>(run: (attempt: number) => Promise<T>): Promise<T> {
  let unanswered: unknown;
  for (let attempt = 1; attempt <= maximumAttempts; attempt += 1) {
    try {
      return await run(attempt);
    } catch (error) {
      if (unanswered === undefined && !isOutcomeUnknown(error)) throw error;
      unanswered ??= error;
    }
    if (attempt > 1) await wait(pauseMilliseconds, undefined, { ref: false });
  }
  throw unanswered;
}

function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof AdapterError && error.code === outcomeUnknown;
}
