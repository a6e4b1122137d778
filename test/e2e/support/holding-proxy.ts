import { createServer, type IncomingMessage, request as send, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy before an API server that can keep answers back. */
export interface HoldingProxy {
  readonly url: string;
  /** From now on answers to matching requests are kept back: the server has done its work, and nobody hears of it. */
  readonly holdAnswers: (
    matches: (request: { readonly method: string; readonly path: string }) => boolean,
  ) => void;
  /** Resolves when an answer has been kept back. */
  readonly whenHeld: () => Promise<void>;
  /** Lets everything through again; what was kept back stays unanswered. */
  readonly release: () => void;
  readonly stop: () => Promise<void>;
}

/** Starts a proxy on loopback before `target`. */
export async function startHoldingProxy(target: string): Promise<HoldingProxy> {
  let isHeld: (request: { readonly method: string; readonly path: string }) => boolean = () => false;
  let held = Promise.withResolvers<undefined>();
  const server = createServer((request, response) => {
    forward(target, request, (answer) => {
      const place = { method: request.method ?? 'GET', path: request.url ?? '/' };
      if (isHeld(place)) held.resolve(undefined);
      else relay(answer, response);
    }).on('error', () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    holdAnswers: (matches) => {
      isHeld = matches;
      held = Promise.withResolvers<undefined>();
    },
    whenHeld: async () => held.promise,
    release: () => {
      isHeld = () => false;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function forward(target: string, request: IncomingMessage, onAnswer: (answer: IncomingMessage) => void) {
  const outgoing = send(
    new URL(request.url ?? '/', target),
    { method: request.method, headers: request.headers },
    onAnswer,
  );
  request.pipe(outgoing);
  request.once('close', () => {
    if (!request.complete) outgoing.destroy();
  });
  return outgoing;
}

function relay(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  response.flushHeaders();
  answer.pipe(response);
  response.once('close', () => answer.destroy());
}
