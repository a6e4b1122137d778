import type { ServerResponse } from 'node:http';
import { QueryError } from '../admin/requests/query-error.ts';

const left = Symbol('left');

type Answer = ServerResponse & { [left]?: AbortSignal | undefined };

/**
 * Aborted once whoever asked has closed the connection before the answer: what is still to be read is of no use. One signal
 * per answer, however many of its fields are read with it.
 */
export function whenLeft(answer: Answer): AbortSignal {
  return (answer[left] ??= signalOf(answer));
}

function signalOf(response: ServerResponse): AbortSignal {
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
