import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Principal, TokenAuthenticator } from './token-authenticator.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every request that passed the gate, except those of open paths. */
    principal?: Principal;
  }
}

/** What the gate knows. */
export interface GateOptions {
  readonly authenticator: TokenAuthenticator;
  /** Host names answered beside loopback's. */
  readonly hosts: readonly string[];
  /** Paths that need no token. */
  readonly openPaths: readonly string[];
  /** Routes, as they are written (`/webhooks/:source`), that know their callers by other means. */
  readonly openRoutes: readonly string[];
}

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Stands before every route: an unknown Host header is refused (a page in a browser must not reach a loopback server
 * through a name of its own), and every path that is not open wants a bearer token.
 */
export function installRequestGate(server: FastifyInstance, options: GateOptions): void {
  const hosts = new Set([...loopbackNames, ...options.hosts.map((host) => host.toLowerCase())]);
  const openPaths = new Set(options.openPaths);
  const openRoutes = new Set(options.openRoutes);
  server.addHook('onRequest', async (request, reply) => {
    if (!hosts.has(hostName(request))) return refuse(reply, unknownHost);
    if (openPaths.has(pathOf(request)) || openRoutes.has(request.routeOptions.url ?? '')) return undefined;
    const principal = options.authenticator.authenticate(request.headers.authorization);
    if (principal === undefined) return refuse(reply, unauthenticated);
    request.principal = principal;
    return undefined;
  });
}

function hostName(request: FastifyRequest): string {
  return (request.headers.host ?? '').toLowerCase().replace(/:[0-9]+$/, '');
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly title: string;
}

const unknownHost: Refusal = {
  status: 421,
  code: 'UnknownHost',
  title: 'the Host header names no host of this server',
};
const unauthenticated: Refusal = {
  status: 401,
  code: 'Unauthenticated',
  title: 'a valid bearer token is required',
};

/** `application/problem+json`, as every refusal of the REST side. */
async function refuse(reply: FastifyReply, refusal: Refusal): Promise<FastifyReply> {
  if (refusal.status === 401) void reply.header('www-authenticate', 'Bearer realm="plimsoll"');
  return reply
    .code(refusal.status)
    .type('application/problem+json')
    .send({ type: 'about:blank', ...refusal });
}
