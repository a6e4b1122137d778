import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a request's JSON web token claimed, in seconds since 1970. */
export interface AppClaims {
  readonly iat: number;
  readonly exp: number;
  readonly iss: string;
}

/** GitHub's `POST /app/installations/ID/access_tokens` on loopback, as its documentation describes it. */
export class GitHubAppServer {
  /** The token that is given out. */
  token = 'ghs_first';
  /** The claims of each request that was answered with a token, in order. */
  readonly claims: AppClaims[] = [];
  readonly #server: Server;
  readonly #publicKey: string;
  readonly #now: () => number;

  /** `publicKey` in PEM; `now` in milliseconds since 1970. */
  constructor(publicKey: string, now: () => number) {
    this.#publicKey = publicKey;
    this.#now = now;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const claims = this.#claimsOf(request.headers.authorization ?? '');
    if (request.method !== 'POST' || request.url !== '/app/installations/42/access_tokens') {
      send(response, 404, { message: 'Not Found' });
    } else if (claims === undefined) {
      send(response, 401, { message: 'A JSON web token could not be decoded' });
    } else {
      this.claims.push(claims);
      const end = new Date(this.#now() + 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');
      const permissions = { contents: 'read', metadata: 'read' };
      send(response, 201, {
        token: this.token,
        expires_at: end,
        permissions,
        repository_selection: 'selected',
      });
    }
  }

  /** GitHub takes RS256 of the App's key, not from the future, and at most ten minutes long. */
  #claimsOf(authorization: string): AppClaims | undefined {
    const [, head, body, signature] = /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(authorization) ?? [];
    if (head === undefined || body === undefined || signature === undefined) return undefined;
    const { alg } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { readonly alg: string };
    const key = createPublicKey(this.#publicKey);
    const signed = Buffer.from(`${head}.${body}`);
    if (alg !== 'RS256' || !verify('sha256', signed, key, Buffer.from(signature, 'base64url')))
      return undefined;
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as AppClaims;
    const now = this.#now() / 1000;
    return claims.iat <= now && claims.exp > now && claims.exp <= now + 600 ? claims : undefined;
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}
