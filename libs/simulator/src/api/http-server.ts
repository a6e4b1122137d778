import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '#kernel';
import type { SimulationClock } from '../clock/simulation-clock.ts';
import { numberAt } from '../objects/kube-object.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import type { ApiAnswer } from './api-server.ts';
import type { Fault } from './fault.ts';
import type { FaultRegistry } from './fault-registry.ts';
import { type HttpRequest, verbOf } from './resource-request.ts';
import { expired, StatusError } from './status-error.ts';
import { type WatchRequest, WatchSession } from './watch-session.ts';

/** What the HTTP side needs of the rest. */
export interface HttpServerOptions {
  readonly token: string;
  readonly store: ObjectStore;
  readonly clock: SimulationClock;
  readonly faults: FaultRegistry;
  readonly handle: (request: HttpRequest) => ApiAnswer;
}

/** A server that listens. */
export interface ListeningServer {
  readonly port: number;
  readonly close: () => Promise<void>;
}

const garbledLine = `${JSON.stringify({ type: 'MODIFIED', object: { kind: 'Unreadable' } })}\n`;
const health = ['/healthz', '/readyz', '/livez'];
/** As the real server: larger bodies are refused. */
const largestBodyBytes = 3 * 1024 * 1024;
/** A watcher that reads more slowly than this much is dropped, rather than kept in memory. */
const largestBacklogBytes = 64 * 1024 * 1024;

/** Serves the API over HTTP on a loopback address; port 0 takes a free one. */
export async function listen(
  options: HttpServerOptions,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<ListeningServer> {
  const server = createServer((incoming, outgoing) => void serve(options, incoming, outgoing));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  // Not a pipe: after listen() the address is an AddressInfo.
  const address = server.address() as AddressInfo;
  return { port: address.port, close: () => close(server) };
}

async function serve(
  options: HttpServerOptions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    const request = await readRequest(incoming);
    const faults = options.faults.strike(verbOf(request, hasName(request.path)), incoming.url ?? '');
    for (const fault of faults) if (!(await strike(fault, options, outgoing))) return;
    const isHealth = health.includes(request.path);
    if (!isHealth) authenticate(incoming, options.token);
    const answer: ApiAnswer = isHealth ? { type: 'Answer', code: 200, body: 'ok' } : options.handle(request);
    if (answer.type === 'Watch') openWatch(options, { request, watch: answer.watch, faults }, outgoing);
    else sendAnswer(options, { answer, faults }, outgoing);
  } catch (error) {
    if (outgoing.headersSent || outgoing.destroyed) outgoing.destroy();
    else sendError(outgoing, error);
  }
}

async function readRequest(incoming: IncomingMessage): Promise<HttpRequest> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestBodyBytes) {
      const message = `Request entity too large: limit is ${largestBodyBytes}`;
      throw new StatusError(413, { message, reason: 'RequestEntityTooLarge' });
    }
    chunks.push(chunk);
  }
  const url = new URL(incoming.url ?? '/', 'http://simulator');
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    accept: incoming.headers.accept ?? '',
    contentType: incoming.headers['content-type'] ?? '',
    userAgent: incoming.headers['user-agent'] ?? '',
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

/** False when the fault has dealt with the request. */
async function strike(
  fault: Fault,
  { clock }: HttpServerOptions,
  outgoing: ServerResponse,
): Promise<boolean> {
  switch (fault.kind) {
    case 'Latency':
      await new Promise<void>((resolve) => clock.schedule(fault.milliseconds, resolve));
      return true;
    case 'Error':
      throw faultError(fault);
    case 'Hang':
      return false;
    case 'Reset':
      outgoing.destroy();
      return false;
    case 'DropWatch':
    case 'Freeze':
    case 'Garble':
    case 'Gone':
    case 'Truncate':
      return true;
  }
}

function faultError(fault: Extract<Fault, { kind: 'Error' }>): StatusError {
  const { code, reason, message = `simulated fault ${fault.code}`, retryAfterSeconds } = fault;
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  return new StatusError(code, { message, ...(reason === undefined ? {} : { reason }), ...details });
}

function authenticate(incoming: IncomingMessage, token: string): void {
  if (incoming.headers.authorization === `Bearer ${token}`) return;
  throw new StatusError(401, { message: 'Unauthorized', reason: 'Unauthorized' });
}

interface FaultyAnswer {
  readonly answer: Extract<ApiAnswer, { type: 'Answer' }>;
  readonly faults: readonly Fault[];
}

function sendAnswer(
  { store }: HttpServerOptions,
  { answer, faults }: FaultyAnswer,
  outgoing: ServerResponse,
): void {
  if (faults.some(({ kind }) => kind === 'Gone')) throw expired(0, store.revision);
  const body = writeHead(answer, outgoing);
  if (faults.some(({ kind }) => kind === 'Truncate'))
    outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
  else outgoing.end(body);
}

function writeHead({ code, body, warnings }: FaultyAnswer['answer'], outgoing: ServerResponse): Buffer {
  const isText = typeof body === 'string';
  const bytes = Buffer.from(isText ? body : JSON.stringify(body));
  for (const warning of warnings ?? []) outgoing.appendHeader('warning', `299 - ${JSON.stringify(warning)}`);
  outgoing.writeHead(code, {
    'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json',
    'content-length': bytes.length,
    'cache-control': 'no-cache, private',
  });
  return bytes;
}

function sendError(outgoing: ServerResponse, error: unknown): void {
  const { code, body } = error instanceof StatusError ? error : internalError(error);
  const seconds = numberAt(body, 'details', 'retryAfterSeconds');
  if (seconds !== undefined) outgoing.setHeader('retry-after', String(seconds));
  outgoing.end(writeHead({ type: 'Answer', code, body }, outgoing));
}

function internalError(error: unknown): StatusError {
  const message = `Internal error occurred: ${messageOf(error)}`;
  return new StatusError(500, { message, reason: 'InternalError' });
}

interface OpeningWatch {
  readonly request: HttpRequest;
  readonly watch: WatchRequest;
  readonly faults: readonly Fault[];
}

function openWatch(
  options: HttpServerOptions,
  { request, watch, faults }: OpeningWatch,
  outgoing: ServerResponse,
): void {
  let left = faults.find((fault) => fault.kind === 'DropWatch')?.afterLines ?? Number.POSITIVE_INFINITY;
  outgoing.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
  outgoing.flushHeaders();
  let isFrozen = faults.some(({ kind }) => kind === 'Freeze');
  const isGarbled = faults.some(({ kind }) => kind === 'Garble');
  const session = new WatchSession(
    watch,
    {
      send: (line) => {
        if (left <= 0 || isFrozen) return;
        outgoing.write(isGarbled ? garbledLine : line);
        left -= 1;
        if (outgoing.writableLength > largestBacklogBytes) outgoing.destroy();
        if (left <= 0) outgoing.end();
      },
      end: () => {
        if (!isFrozen) outgoing.end();
      },
    },
    options.store,
  );
  const unregister = options.faults.watch({
    path: request.path,
    close: () => session.close(),
    freeze: () => (isFrozen = true),
  });
  outgoing.once('close', () => {
    unregister();
    session.close();
  });
  // As upstream: a watch that starts too late is opened all the same, and ends with an error in it.
  if (faults.some(({ kind }) => kind === 'Gone')) session.expire();
  else if (left <= 0) session.close();
  else session.start(options.clock);
}

/** Whether a path ends in a name: it has an even number of parts below the version, or a subresource. */
function hasName(path: string): boolean {
  const below = path
    .replace(/^\/(api\/[^/]+|apis\/[^/]+\/[^/]+)\/?/, '')
    .replace(/^namespaces\/[^/]+\/(?=.)/, '');
  return below.split('/').filter((part) => part !== '').length > 1;
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
