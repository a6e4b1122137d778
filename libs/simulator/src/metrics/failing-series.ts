import { StatusError } from '../api/status-error.ts';
import type { Series } from '../load/series.ts';

/**
 * Lets a failing series fail.
 *
 * @throws StatusError with the series' own code and message
 */
export function throwIfFailing(series: Series): void {
  if (series.kind !== 'Failing') return;
  throw new StatusError(series.code, { message: series.message, reason: 'InternalError' });
}
