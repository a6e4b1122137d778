import type { FastifyRequest } from 'fastify';

/**
 * Everything that answers without authentication, by method and path as the router has it: probes, deliveries of webhooks
 * (by their HMAC), signing in, and the
 * description of the API. Nothing else does; a test asks every route there is.
 */
export const publicRoutes: readonly string[] = [
  'GET /healthz',
  'GET /readyz',
  'POST /webhooks/:source',
  'GET /auth/login',
  'GET /auth/callback',
  'GET /api/v1/openapi.json',
  'GET /api/v1/reference',
];

const known = new Set(publicRoutes);

/** Whether a request is for one of them. What the router refuses has no route. */
export function isPublic({ method, routeOptions }: Pick<FastifyRequest, 'method' | 'routeOptions'>): boolean {
  const { url } = routeOptions;
  return url !== undefined && known.has(`${method === 'HEAD' ? 'GET' : method} ${url}`);
}
