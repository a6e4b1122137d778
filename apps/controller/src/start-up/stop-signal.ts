import type { Logger } from 'pino';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The steps of the end have 20 s; beyond this something hangs, and Kubernetes kills after 30 s. */
const stopTimeoutMilliseconds = 25_000;

/**
 * Aborts at the first signal to end, which is waited for also while the controller starts. A second one ends the process
 * at once, and so does an end that takes too long.
 */
export function stopSignal(logger: Logger): AbortSignal {
  const stopping = new AbortController();
  const onSignal = (signal: string): void => {
    for (const name of signals) {
      process.removeListener(name, onSignal);
      process.once(name, () => process.exit(130));
    }
    logger.info({ signal }, 'ending: writes under way are finished and recorded');
    setTimeout(() => {
      logger.error('the end took too long');
      process.exit(1);
    }, stopTimeoutMilliseconds).unref();
    stopping.abort();
  };
  for (const name of signals) process.once(name, onSignal);
  return stopping.signal;
}

/** Resolves when the signal aborts, at once where it has. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
