import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { basename, dirname } from 'node:path';

/** A server's own key and certificate, as PEM. */
export interface TlsIdentity {
  readonly key: string;
  readonly cert: string;
}

/** Git's smart HTTP protocol on loopback: `git http-backend` behind node's server. */
export class HttpGitServer {
  /** Where set, `user:password` that every request must bring. */
  credentials: string | undefined;
  /** Where set, requests are answered with a redirect to it. */
  redirect: string | undefined;
  /** Where true, requests are never answered. */
  hangs = false;
  /** Called while each request waits for its answer. */
  onRequest: () => void = () => undefined;
  /** Times of the requests' paths, in order. */
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #folder: string;
  readonly #scheme: 'http' | 'https';

  /** Over TLS where a key and a certificate are given. */
  constructor(folder: string, tls?: TlsIdentity) {
    this.#folder = folder;
    this.#scheme = tls === undefined ? 'http' : 'https';
    const answer = (request: IncomingMessage, response: ServerResponse): void =>
      this.#answer(request, response);
    this.#server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    return `${this.#scheme}://127.0.0.1:${port}/${basename(this.#folder)}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.requests.push(request.url ?? '');
    this.onRequest();
    if (this.hangs) return;
    if (this.redirect !== undefined) {
      response.writeHead(302, { location: `${this.redirect}${request.url ?? ''}` }).end();
      return;
    }
    if (!this.#isAllowed(request)) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    this.#serve(request, response);
  }

  #isAllowed(request: IncomingMessage): boolean {
    if (this.credentials === undefined) return true;
    return request.headers.authorization === `Basic ${Buffer.from(this.credentials).toString('base64')}`;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://loopback');
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_PROJECT_ROOT: dirname(this.#folder),
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method ?? 'GET',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        REMOTE_ADDR: '127.0.0.1',
      },
    });
    request.pipe(backend.stdin);
    const chunks: Buffer[] = [];
    backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    backend.on('close', () => respond(response, Buffer.concat(chunks)));
  }
}

function respond(response: ServerResponse, answer: Buffer): void {
  const end = answer.indexOf('\r\n\r\n');
  let status = 200;
  for (const line of answer.toString('latin1', 0, end).split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === 'status') status = Number(value.slice(0, 3));
    else if (colon > 0) response.setHeader(name, value);
  }
  response.writeHead(status).end(answer.subarray(end + 4));
}
