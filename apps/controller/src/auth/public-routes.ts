import type { FastifyRequest } from 'fastify';
import { consoleFiles, consolePages } from '../console/console-paths.ts';

/**
 * Everything that answers without authentication, by method and path as the router has it: probes, deliveries of webhooks
 * (by their HMAC), signing in, the
 * console's files, and the description of the API. Nothing else does; a test asks every route there is.
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
  ...[...consolePages, ...consoleFiles].map((path) => `GET ${path}`),
];

const known = new Set(publicRoutes);

/** Whether a request is for one of them. What the router refuses has no route. */
export function isPublic({ method, routeOptions }: Pick<FastifyRequest, 'method' | 'routeOptions'>): boolean {
  const { url } = routeOptions;
  return url !== undefined && known.has(`${method === 'HEAD' ? 'GET' : method} ${url}`);
}
