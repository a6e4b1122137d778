import { isatty } from 'node:tty';
import type { Logger } from 'pino';
import { onLauncherLoss } from './launcher-loss.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The steps of the end have 20 s; beyond this something hangs, and Kubernetes kills after 30 s. */
const stopTimeoutMilliseconds = 25_000;

/**
 * Aborts at the first signal to end, which is waited for also while the controller starts, and when the process that
 * started this one is gone. A second signal ends the process at once, and so does an end that takes too long. SIGHUP
 * calls `onHangUp`; it ends a process without one, and one whose terminal was closed.
 */
export function stopSignal(
  logger: Logger,
  { onHangUp }: { readonly onHangUp?: () => void } = {},
): AbortSignal {
  const hadTerminal = hasTerminal();
  const stopping = new AbortController();
  const end = (cause: object): void => {
    if (stopping.signal.aborted) return;
    logger.info(cause, 'ending: writes under way are finished and recorded');
    setTimeout(() => {
      logger.error('the end took too long');
      process.exit(1);
    }, stopTimeoutMilliseconds).unref();
    stopping.abort();
  };
  const onSignal = (signal: string): void => {
    if (signal === 'SIGHUP' && onHangUp !== undefined && !(hadTerminal && !hasTerminal())) {
      onHangUp();
      return;
    }
    for (const name of signals) {
      process.removeListener(name, onSignal);
      process.once(name, () => process.exit(130));
    }
    end({ signal });
  };
  for (const name of signals) process.on(name, onSignal);
  onLauncherLoss(() => end({ cause: 'the process that started this one ends, or has ended' }));
  return stopping.signal;
}

/** A terminal that was closed is none any more. */
function hasTerminal(): boolean {
  return [0, 1, 2].some((descriptor) => isatty(descriptor));
}

/** Resolves when the signal aborts, at once where it has. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
