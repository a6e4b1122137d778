import { once } from 'node:events';
import { type Headers, WebSocket } from 'undici';
import { soon } from '../e2e/support/soon.ts';

/** A message of the server. */
export interface ServerMessage {
  readonly type: 'connection_ack' | 'next' | 'error' | 'complete' | 'ping' | 'pong';
  readonly id?: string;
  readonly payload?: unknown;
}

/** A client of subscriptions, which keeps what it was sent. */
export interface GraphqlSubscriber {
  readonly messages: readonly ServerMessage[];
  /** Why the server has closed the connection; undefined: it has not. */
  readonly closed: () => { readonly code: number; readonly reason: string } | undefined;
  readonly send: (message: object) => void;
  /** Says whose the connection is, and waits for the answer or the end. */
  readonly initialise: (payload?: object) => Promise<void>;
  readonly subscribe: (id: string, query: string, variables?: object) => void;
  /** What was sent of a subscription. */
  readonly results: (id: string) => readonly unknown[];
  readonly whenClosed: () => Promise<{ readonly code: number; readonly reason: string }>;
  readonly close: () => void;
}

/** Connects. @throws Error where the server does not take the connection */
export async function aSubscriber(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<GraphqlSubscriber> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql/subscriptions`, {
    protocols: 'graphql-transport-ws',
    headers: headers as unknown as Headers,
  });
  const messages: ServerMessage[] = [];
  let closed: { readonly code: number; readonly reason: string } | undefined;
  socket.addEventListener('message', ({ data }) => {
    messages.push(JSON.parse(String(data)) as ServerMessage);
  });
  socket.addEventListener('close', ({ code, reason }) => {
    closed = { code, reason };
  });
  await Promise.race([
    once(socket, 'open'),
    once(socket, 'error').then(() => {
      throw new Error('the connection was refused');
    }),
  ]);
  const send = (message: object): void => socket.send(JSON.stringify(message));
  return {
    messages,
    closed: () => closed,
    send,
    initialise: async (payload) => {
      send({ type: 'connection_init', ...(payload === undefined ? {} : { payload }) });
      await soon(
        'the connection is acknowledged',
        () => messages.length > 0 || closed !== undefined || undefined,
      );
    },
    subscribe: (id, query, variables) => send({ type: 'subscribe', id, payload: { query, variables } }),
    results: (id) =>
      messages.filter((each) => each.type === 'next' && each.id === id).map(({ payload }) => payload),
    whenClosed: () => soon('the connection is closed', () => closed),
    close: () => socket.close(),
  };
}
