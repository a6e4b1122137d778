import type { Logger } from 'pino';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A clean end takes as long as the longest pass under way; beyond this something hangs. */
const stopTimeoutMilliseconds = 60_000;

/** Waits for a signal, then ends cleanly. A second signal ends at once. */
export async function untilStopped(stop: () => Promise<void>, logger: Logger): Promise<void> {
  const signal = await new Promise<string>((resolve) => {
    for (const name of signals) process.once(name, () => resolve(name));
  });
  for (const name of signals) process.once(name, () => process.exit(130));
  logger.info({ signal }, 'ending: writes under way are finished and recorded');
  const timer = setTimeout(() => {
    logger.error('the end took too long');
    process.exit(1);
  }, stopTimeoutMilliseconds);
  await stop();
  clearTimeout(timer);
  logger.info('ended');
}
