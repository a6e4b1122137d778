import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as sendPlain,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import { request as sendSecured } from 'node:https';
import type { AddressInfo } from 'node:net';

/** What a request is matched by. */
export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
}

/** An answer in the server's place. */
export interface ProxiedAnswer {
  readonly status: number;
  readonly body: string;
}

/** Who the proxy is to a server that it reaches by TLS, and by which certificate it knows that one: PEM. */
export interface ProxyCredentials {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** A server, and how it is asked. */
interface ProxyTarget {
  readonly url: string;
  readonly credentials: ProxyCredentials | undefined;
}

/** A proxy before an API server that can keep answers back. */
export interface HoldingProxy {
  readonly url: string;
  /** Every request that asks for a change, in order: `PUT /apis/…`. */
  readonly writes: readonly string[];
  /** From now on answers to matching requests are kept back: the server has done its work, and no client hears of it. */
  readonly holdAnswers: (
    matches: (request: { readonly method: string; readonly path: string }) => boolean,
  ) => void;
  /** From now on matching requests are kept back: the server never hears of them. */
  readonly holdRequests: (matches: (request: ProxiedRequest) => boolean) => void;
  /** Sends the requests that were kept back to the server. @returns its statuses */
  readonly deliverHeld: () => Promise<readonly number[]>;
  /** From now on matching requests are sent twice, one after the other, and the second answer is handed on. */
  readonly repeatRequests: (matches: (request: ProxiedRequest) => boolean) => void;
  /** From now on requests are answered with what this gives for them: the server never hears of those. */
  readonly answerWith: (answer: (request: ProxiedRequest) => ProxiedAnswer | undefined) => void;
  /** Resolves when something has been kept back. */
  readonly whenHeld: () => Promise<void>;
  /** Lets everything through again; what was kept back stays unanswered. */
  readonly release: () => void;
  readonly stop: () => Promise<void>;
}

/** Starts a proxy on loopback before a server, which takes every request for one of the proxy's own. */
export async function startHoldingProxy(url: string, credentials?: ProxyCredentials): Promise<HoldingProxy> {
  const target = { url, credentials };
  let holdsAnswer: (request: ProxiedRequest) => boolean = () => false;
  let holdsRequest: (request: ProxiedRequest) => boolean = () => false;
  let repeats: (request: ProxiedRequest) => boolean = () => false;
  let answerOf: (request: ProxiedRequest) => ProxiedAnswer | undefined = () => undefined;
  const writes: string[] = [];
  const late: (() => Promise<number>)[] = [];
  let held = Promise.withResolvers<undefined>();
  const server = createServer((request, response) => {
    if (request.method !== 'GET') writes.push(`${request.method ?? ''} ${request.url ?? ''}`);
    const place = { method: request.method ?? 'GET', path: request.url ?? '/' };
    if (holdsRequest(place)) {
      void readBody(request).then((body) => {
        const { headers } = request;
        late.push(() => sendAnew(target, { ...place, headers, body }));
        held.resolve(undefined);
      });
      return;
    }
    if (repeats(place)) {
      void repeat(target, { ...place, request, response });
      return;
    }
    const given = answerOf(place);
    if (given !== undefined) {
      response.writeHead(given.status, { 'content-type': 'application/json' }).end(given.body);
      return;
    }
    forward(target, request, (answer) => {
      if (holdsAnswer(place)) held.resolve(undefined);
      else relay(answer, response);
    }).on('error', () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    writes,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    holdAnswers: (matches) => {
      holdsAnswer = matches;
      held = Promise.withResolvers<undefined>();
    },
    holdRequests: (matches) => {
      holdsRequest = matches;
      held = Promise.withResolvers<undefined>();
    },
    deliverHeld: () => Promise.all(late.splice(0).map((deliver) => deliver())),
    repeatRequests: (matches) => {
      repeats = matches;
    },
    answerWith: (answer) => {
      answerOf = answer;
    },
    whenHeld: async () => held.promise,
    release: () => {
      holdsAnswer = () => false;
      holdsRequest = () => false;
      repeats = () => false;
      answerOf = () => undefined;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Read while its client waits for an answer. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function send(
  { url, credentials }: ProxyTarget,
  options: RequestOptions,
  onAnswer: (answer: IncomingMessage) => void,
): ClientRequest {
  return credentials === undefined
    ? sendPlain(url, options, onAnswer)
    : sendSecured(url, { ...options, ...credentials }, onAnswer);
}

function sendAnew(
  target: ProxyTarget,
  {
    method,
    path,
    headers,
    body,
  }: ProxiedRequest & Pick<IncomingMessage, 'headers'> & { readonly body: Buffer },
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  send(target, { path, method, headers }, (answer) => {
    answer.resume();
    resolve(answer.statusCode ?? 0);
  })
    .on('error', reject)
    .end(body);
  return promise;
}

async function repeat(
  target: ProxyTarget,
  {
    method,
    path,
    request,
    response,
  }: ProxiedRequest & { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  const { headers } = request;
  const body = await readBody(request);
  await sendAnew(target, { method, path, headers, body });
  send(target, { method, path, headers }, (answer) => relay(answer, response))
    .on('error', () => response.destroy())
    .end(body);
}

function forward(
  target: ProxyTarget,
  request: IncomingMessage,
  onAnswer: (answer: IncomingMessage) => void,
): ClientRequest {
  const { method, headers } = request;
  const outgoing = send(target, { path: request.url, method, headers }, onAnswer);
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
