import { persistedExchange } from '@urql/exchange-persisted';
import { type Client as SocketClient, createClient as createSocketClient } from 'graphql-ws';
import { Client, fetchExchange, mapExchange, subscriptionExchange } from 'urql';
import { createStore } from '../state/store.ts';
import { noteServerDate } from './clock.ts';
import { noteDatabase } from './database-outage.ts';
import { readableAnswer } from './readable-answer.ts';
import { noteSessionEnd } from './session.ts';

/** The server gives a read, and a look at what an action would do, ten seconds. */
const readTimeoutMilliseconds = 20_000;

/** The server gives an action two minutes, of which most take none: of one that is given up before nobody knows what became. */
const actionTimeoutMilliseconds = 150_000;

/** Subscriptions. Idle: no page has asked for any. */
export type Liveness = 'Idle' | 'Connecting' | 'Live' | 'Broken';

export const liveness = createStore<Liveness>('Idle');

/** Connections are tried again for as long as the page is open, at most so far apart. */
const longestWaitMilliseconds = 15_000;

/** The protocol's codes for a client that is not let in. */
const refusedCodes: ReadonlySet<number> = new Set([4401, 4403]);

/** The code of a socket whose last subscription has ended. */
const closedHere = 1_000;

let socket: SocketClient | undefined;

/** One WebSocket for all subscriptions of the page, opened by the first of them. */
function openSocket(): SocketClient {
  const url = new URL('/graphql/subscriptions', location.href);
  url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  return createSocketClient({
    url: url.href,
    retryAttempts: Infinity,
    retryWait: (retries) =>
      new Promise((resolve) =>
        setTimeout(
          resolve,
          Math.min(longestWaitMilliseconds, 500 * 2 ** retries) * (0.5 + Math.random() / 2),
        ),
      ),
    shouldRetry: () => true,
    on: {
      connecting: () => liveness.set(liveness.get() === 'Idle' ? 'Connecting' : liveness.get()),
      connected: () => liveness.set('Live'),
      closed: (event) => {
        const code = (event as CloseEvent).code;
        if (refusedCodes.has(code)) noteSessionEnd();
        // Nothing is asked for any more: this page has closed it.
        liveness.set(code === closedHere ? 'Idle' : 'Broken');
      },
    },
  });
}

function watchedFetch(timeoutMilliseconds: number): typeof fetch {
  return async (input, init = {}) => {
    const timeout = AbortSignal.timeout(timeoutMilliseconds);
    const signal =
      init.signal === undefined || init.signal === null ? timeout : AbortSignal.any([init.signal, timeout]);
    const response = await fetch(input, { ...init, signal, cache: 'no-store' });
    noteServerDate(response.headers.get('date'));
    if (response.status === 401) noteSessionEnd();
    return response;
  };
}

/** How what changes something is sent. */
export const actionContext = { fetch: watchedFetch(actionTimeoutMilliseconds) };

/**
 * The client of the GraphQL API. It has no cache: each panel says how old what it shows is, and a cache that puts answers
 * of different ages together could not. What is known is kept by {@link useAnswer}, answer by answer.
 */
export const client = new Client({
  url: '/graphql',
  preferGetMethod: false,
  requestPolicy: 'network-only',
  fetch: watchedFetch(readTimeoutMilliseconds),
  exchanges: [
    mapExchange({
      onResult: (result) => {
        noteDatabase(result);
        return readableAnswer(result);
      },
    }),
    // Where the page is not in a secure context, the browser has no SHA-256 to name a query by, and texts are sent.
    ...(window.isSecureContext ? [persistedExchange({ preferGetForPersistedQueries: false })] : []),
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query = '', variables }) => ({
        subscribe: (sink) => {
          socket ??= openSocket();
          const dispose = socket.subscribe(
            { query, variables: variables as Record<string, unknown> },
            { ...sink, next: (result) => sink.next(result as never) },
          );
          return { unsubscribe: dispose };
        },
      }),
    }),
  ],
});
