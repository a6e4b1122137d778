import type { GraphiQLProps } from 'graphiql';
import { getOperationAST, OperationTypeNode, parse } from 'graphql';
import { type Client, createClient } from 'graphql-ws';
import { noteSessionEnd } from '../api/session.ts';

type Fetcher = GraphiQLProps['fetcher'];
type Asked = Parameters<Fetcher>[0];

interface Answer {
  readonly data?: Record<string, unknown> | null;
}

let socket: Client | undefined;

/** Asks the GraphQL API with the console's session: subscriptions over a WebSocket, everything else over HTTP. */
export const askGraphql: Fetcher = (asked) => {
  if (!isSubscription(asked)) return ask(asked);
  socket ??= openSocket();
  return socket.iterate(asked) as ReturnType<Fetcher>;
};

/** By the text: what the editor has parsed may be older. */
function isSubscription({ query, operationName }: Asked): boolean {
  try {
    const operation = getOperationAST(parse(query), operationName);
    return operation?.operation === OperationTypeNode.SUBSCRIPTION;
  } catch {
    // The server says what is wrong with it.
    return false;
  }
}

async function ask(asked: Asked): Promise<Answer> {
  const answer = await fetch('/graphql', {
    method: 'POST',
    cache: 'no-store',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
    body: JSON.stringify(asked),
  });
  if (answer.status === 401) noteSessionEnd();
  return (await answer.json()) as Answer;
}

function openSocket(): Client {
  const url = new URL('/graphql/subscriptions', location.href);
  url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  return createClient({ url: url.href });
}
