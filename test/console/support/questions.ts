import type { Page, Request } from 'playwright-core';
import { eventually } from '../../control-plane/poll.ts';

/** What a page asks of the API, from now on. */
export interface Questions {
  /** Waits until none is under way. */
  readonly end: () => Promise<unknown>;
}

export function followQuestions(page: Page): Questions {
  const underWay = new Set<Request>();
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/graphql') underWay.add(request);
  });
  const noteEnd = (request: Request): void => void underWay.delete(request);
  page.on('requestfinished', noteEnd);
  page.on('requestfailed', noteEnd);
  return {
    end: () =>
      eventually({
        description: 'all is answered that was asked',
        probe: () => Promise.resolve(underWay.size === 0 || undefined),
        timeoutMilliseconds: 60_000,
        intervalMilliseconds: 20,
      }),
  };
}
