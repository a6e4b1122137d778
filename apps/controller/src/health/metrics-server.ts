import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

/** Where the metrics are served. */
export interface MetricsServerOptions {
  readonly address: string;
  readonly port: number;
  readonly registry: Registry;
}

/** A running metrics server. */
export interface MetricsServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** A scrape that has not sent its request by then is cut off. */
const requestTimeoutMilliseconds = 10_000;

/** Serves `GET /metrics` on a port of its own, so that scraping needs no API token. */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    options.registry
      .metrics()
      .then((text) => response.writeHead(200, { 'content-type': options.registry.contentType }).end(text))
      .catch(() => response.writeHead(500).end());
  });
  server.requestTimeout = requestTimeoutMilliseconds;
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  const host = options.address.includes(':') ? `[${options.address}]` : options.address;
  return { url: `http://${host}:${port}/metrics`, stop: () => close(server) };
}

function listen(server: Server, options: MetricsServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.address, resolve);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
