import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Agent, request as send } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import type { ControlPlane } from '../control-plane/control-plane.ts';

/** What becomes of a request. */
export type ProxyFault =
  | { readonly kind: 'Slow'; readonly milliseconds: number }
  /** Answered here, as a server or a balancer before it does. */
  | { readonly kind: 'Answer'; readonly status: number }
  /** The connection stays, and nothing comes. */
  | { readonly kind: 'Hang' }
  /** The server has done its work, and no client hears of it. */
  | { readonly kind: 'LoseAnswer' }
  | { readonly kind: 'Cut' }
  /** Sent with credentials that the API server does not take. */
  | { readonly kind: 'Unauthenticated' }
  /** Sent with a client certificate that has expired. */
  | { readonly kind: 'ExpiredCertificate' }
  /** Sent after something else has happened. */
  | { readonly kind: 'After'; readonly act: (path: string) => Promise<unknown> };

export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
}

interface Kubeconfig {
  readonly users: readonly [
    { readonly user: { readonly 'client-certificate': string; readonly 'client-key': string } },
  ];
}

interface Rule {
  readonly match: (request: ProxiedRequest) => boolean;
  readonly fault: ProxyFault;
}

/** Stands on loopback before a real API server, with its client certificate, and lets requests go wrong. */
export class FaultyProxy {
  readonly #server: Server;
  readonly #target: string;
  readonly #agent: Agent;
  readonly #stranger: Agent;
  readonly #expired: Agent;
  readonly #rules = new Set<Rule>();
  readonly #watches = new Set<Socket>();

  private constructor({ server, authorityPath, kubeconfigPath, kubeconfigFor }: ControlPlane) {
    const ca = readFileSync(authorityPath);
    this.#target = server;
    this.#agent = new Agent({ ca, ...clientOf(kubeconfigPath), keepAlive: true });
    this.#stranger = new Agent({ ca });
    const expired = {
      commonName: 'expired-admin',
      organizations: ['system:masters'],
      isExpired: true,
    } as const;
    this.#expired = new Agent({ ca, ...clientOf(kubeconfigFor(expired)) });
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch(() => response.destroy());
    });
  }

  static async start(controlPlane: ControlPlane): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(controlPlane);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Lets what matches go wrong; returns what ends it. */
  add(match: Rule['match'], fault: ProxyFault): () => void {
    const rule = { match, fault };
    this.#rules.add(rule);
    return () => void this.#rules.delete(rule);
  }

  /** Cuts the connection of every watch. */
  dropWatches(): void {
    for (const socket of this.#watches) socket.destroy();
  }

  async stop(): Promise<void> {
    this.#rules.clear();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
    this.#agent.destroy();
    this.#stranger.destroy();
    this.#expired.destroy();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const proxied = { method: request.method ?? '', path: request.url ?? '' };
    const { fault } = [...this.#rules].find(({ match }) => match(proxied)) ?? {};
    if (isWatch(proxied)) {
      this.#watches.add(request.socket);
      response.once('close', () => this.#watches.delete(request.socket));
    }
    if (fault !== undefined) {
      if (answered(request, response, fault)) return;
      await before(proxied, fault);
    }
    this.#forward(request, response, fault?.kind);
  }

  #forward(request: IncomingMessage, response: ServerResponse, fault: ProxyFault['kind'] | undefined): void {
    const { host } = new URL(this.#target);
    const token = fault === 'Unauthenticated' ? { authorization: 'Bearer expired' } : {};
    const outgoing = send(new URL(request.url ?? '/', this.#target), {
      agent: this.#agentFor(fault),
      method: request.method,
      headers: { ...request.headers, host, ...token },
    });
    outgoing.once('response', (incoming) => {
      if (fault === 'LoseAnswer') {
        incoming.resume();
        return;
      }
      response.writeHead(incoming.statusCode ?? 502, incoming.headers);
      response.flushHeaders();
      incoming.pipe(response);
    });
    outgoing.once('error', () => response.destroy());
    response.once('close', () => outgoing.destroy());
    request.pipe(outgoing);
  }

  #agentFor(fault: ProxyFault['kind'] | undefined): Agent {
    if (fault === 'Unauthenticated') return this.#stranger;
    return fault === 'ExpiredCertificate' ? this.#expired : this.#agent;
  }
}

function clientOf(kubeconfigPath: string): { readonly cert: Buffer; readonly key: Buffer } {
  const { users } = parse(readFileSync(kubeconfigPath, 'utf8')) as Kubeconfig;
  const { 'client-certificate': certificate, 'client-key': privateKey } = users[0].user;
  return { cert: readFileSync(certificate), key: readFileSync(privateKey) };
}

/** Whether the fault is all that becomes of the request. */
function answered(request: IncomingMessage, response: ServerResponse, fault: ProxyFault): boolean {
  if (fault.kind === 'Cut') request.socket.destroy();
  if (fault.kind === 'Answer') answer(response, fault.status);
  return fault.kind === 'Hang' || fault.kind === 'Cut' || fault.kind === 'Answer';
}

/** What comes before the request is sent on. */
async function before({ path }: ProxiedRequest, fault: ProxyFault): Promise<void> {
  if (fault.kind === 'Slow') await delay(fault.milliseconds);
  if (fault.kind === 'After') await fault.act(path);
}

/** Whether a request begins a watch. */
export function isWatch({ path }: ProxiedRequest): boolean {
  return /[?&]watch=(true|1)/.test(path);
}

function answer(response: ServerResponse, code: number): void {
  const message = `answered with ${code} by the test`;
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code };
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(status));
}
