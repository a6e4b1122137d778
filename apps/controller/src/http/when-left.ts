import type { ServerResponse } from 'node:http';
import { QueryError } from '../admin/query-error.ts';

/** Aborted once whoever asked has closed the connection before the answer: what is still to be read is of no use. */
export function whenLeft(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const leave = (): void => {
    // Nobody reads it, and it is no error of ours.
    if (!response.writableFinished)
      controller.abort(new QueryError('DeadlineExceeded', 'its reader has left'));
  };
  if (response.destroyed) leave();
  else response.once('close', leave);
  return controller.signal;
}
