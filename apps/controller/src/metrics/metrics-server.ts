import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { listenFault } from '../http/listen-fault.ts';

/** A reader that takes nothing for so long is cut off. */
const readingTimeoutMilliseconds = 10_000;

/** Where the metrics are served. */
export interface MetricsServerOptions {
  readonly address: string;
  readonly port: number;
  readonly registry: Registry;
  /** The series of policies, in parts. */
  readonly policySeries: () => Iterable<string>;
}

/** A scrape that has not sent its request by then is cut off. */
const requestTimeoutMilliseconds = 10_000;

/** Serves `GET /metrics` on a port of its own, so that scraping needs no API token. */
export class MetricsServer {
  readonly #options: MetricsServerOptions;
  readonly #server: Server;

  constructor(options: MetricsServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void answer(options, request, response));
    this.#server.requestTimeout = requestTimeoutMilliseconds;
  }

  /** `http://127.0.0.1:9090/metrics`; to be read while it listens. */
  get url(): string {
    const { address } = this.#options;
    const { port } = this.#server.address() as AddressInfo;
    return `http://${address.includes(':') ? `[${address}]` : address}:${port}/metrics`;
  }

  /** @throws AdapterError naming the setting where the port is taken or not ours to take */
  listen(): Promise<void> {
    const { address, port } = this.#options;
    const settings = { port: 'listen.metricsPort', address: 'listen.metricsAddress' };
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error) => reject(listenFault(error, { address, port, settings }) as Error));
      this.#server.listen(port, address, resolve);
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

async function answer(
  { registry, policySeries }: MetricsServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.url?.split('?')[0] !== '/metrics') {
    response.writeHead(404).end();
    return;
  }
  if (request.method !== 'GET') {
    response.writeHead(405, { allow: 'GET' }).end();
    return;
  }
  try {
    const text = await registry.metrics();
    response.writeHead(200, { 'content-type': registry.contentType });
    await send(response, text);
    // Between the parts whatever else waits has its turn.
    for (const part of policySeries()) await send(response, part);
    response.end();
  } catch {
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
  }
}

/** Sends a part and waits for the next turn of the loop, or for a reader that is slower. @throws Error where it has gone */
async function send(response: ServerResponse, part: string): Promise<void> {
  if (response.destroyed) throw new Error('the reader has gone');
  if (response.write(part)) await nextTurn();
  else await once(response, 'drain', { signal: AbortSignal.timeout(readingTimeoutMilliseconds) });
}
