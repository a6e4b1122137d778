import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from './problem-error.ts';

/**
 * Refuses bodies with a `Content-Encoding` before they are read: none is decoded here, and read as it came a compressed
 * body would be taken for something else. `identity` is no coding, and names none.
 *
 * @see RFC 9110, 12.5.3: 415 has `Accept-Encoding` where the coding is the reason, and only there.
 */
export function refuseCodedBodies(server: FastifyInstance): void {
  server.addHook('preParsing', async ({ headers }, reply, body) => {
    await Promise.resolve();
    const coding = headers['content-encoding'];
    if (coding === undefined || !hasBody(headers) || /^\s*(?:identity\s*)?$/i.test(coding)) return body;
    void reply.header('accept-encoding', 'identity');
    throw new ProblemError({
      status: 415,
      code: 'UnsupportedMediaType',
      detail: `the body is in the coding ${JSON.stringify(coding.slice(0, 100))}; send it as it is, without Content-Encoding`,
    });
  });
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
