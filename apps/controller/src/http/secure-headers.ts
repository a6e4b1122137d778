import type { FastifyReply } from 'fastify';

/** A year, as browsers' lists of such hosts want it. */
const strictTransport = 'max-age=31536000';

/** What every answer says to a browser, unless its route says something else. */
const headers: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  // An answer is for its caller alone, and as it is now; a validator such as an ETag may be asked with.
  'cache-control': 'private, no-cache',
};

/** Sets the headers that a route has not set itself. */
export function setSecureHeaders(
  reply: FastifyReply,
  { isEncrypted }: { readonly isEncrypted: boolean },
): void {
  for (const [name, value] of Object.entries(headers))
    if (!reply.hasHeader(name)) void reply.header(name, value);
  if (isEncrypted && !reply.hasHeader('strict-transport-security'))
    void reply.header('strict-transport-security', strictTransport);
}
