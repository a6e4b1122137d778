import { runInNewContext } from 'node:vm';

/** Far beyond what ends takes on the busiest machine, and far below what grows faster than its input does. */
const timeout = 30_000;

/**
 * Runs what must end whatever its input, and stops it where it does not.
 *
 * @throws Error `ERR_SCRIPT_EXECUTION_TIMEOUT`
 */
export function runToEnd(work: () => void): void {
  runInNewContext('work()', { work }, { timeout });
}
