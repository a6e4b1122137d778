import type { FastifyRequest } from 'fastify';
import { consoleFiles, consolePages, graphiqlPaths } from '../../console/console-paths.ts';
import { isMissingPage } from '../../console/missing-pages.ts';

/**
 * Everything that answers without authentication, by method and path as the router has it: probes, deliveries of webhooks
 * (by their HMAC), signing in, the files of the console and of GraphiQL, and the description of the API. Nothing else
 * does; a test asks every route there is.
 */
export const publicRoutes: readonly string[] = [
  'GET /healthz',
  'GET /readyz',
  'POST /webhooks/:source',
  'GET /auth/login',
  'GET /auth/callback',
  'GET /auth/session',
  'POST /auth/session',
  'GET /api/v1/openapi.json',
  'GET /api/v1/reference',
  ...[...consolePages, ...consoleFiles, ...graphiqlPaths].map((path) => `GET ${path}`),
];

const known = new Set(publicRoutes);

/** What the rates of requests do not count: kubelets must have their answer, and webhooks have limits of their own. */
const exempt = new Set(['GET /healthz', 'GET /readyz', 'POST /webhooks/:source']);

/** Whether the rates of requests pass over a request. */
export function isExempt(request: Pick<FastifyRequest, 'method' | 'routeOptions'>): boolean {
  return exempt.has(routeOf(request));
}

/** Whether a request is for one of them, or is a person's for a page that there is not, which the console says. */
export function isPublic(
  request: Pick<FastifyRequest, 'method' | 'headers' | 'url' | 'routeOptions'>,
): boolean {
  return known.has(routeOf(request)) || isMissingPage(request);
}

/** Empty: what the router refuses has none. */
function routeOf({ method, routeOptions }: Pick<FastifyRequest, 'method' | 'routeOptions'>): string {
  const { url } = routeOptions;
  return url === undefined ? '' : `${method === 'HEAD' ? 'GET' : method} ${url}`;
}
