import http, { type ClientRequest, type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';

/** How the leader is reached. */
export interface LeaderAddress {
  /** What it advertises; it may have a path. */
  readonly url: string;
  /** The authorities that its https:// is trusted by, as PEM; undefined: the system's. */
  readonly ca: string | undefined;
}

/** Opens a request to the leader, for a path below that of its URL; whoever ends it sends it. */
export function openLeaderRequest(
  { url, ca }: LeaderAddress,
  { path, ...options }: Pick<RequestOptions, 'method' | 'headers'> & { readonly path: string },
): ClientRequest {
  const target = new URL(url);
  return (target.protocol === 'https:' ? https : http).request(target, {
    ...options,
    path: `${target.pathname.replace(/\/$/, '')}${path}`,
    // A connection of its own: on one that the leader closes at that moment it would not be known what was done.
    agent: false,
    ...(ca === undefined ? {} : { ca }),
    // Else the certificate would have to name the caller's Host.
    servername: isIP(target.hostname.replace(/^\[|\]$/gu, '')) === 0 ? target.hostname : '',
  });
}

/**
 * Resolves when the leader answers anything. The machine of a process that hangs still accepts connections to it, so that
 * nothing less tells the two apart.
 *
 * @throws Error where it cannot be reached, or answers nothing in time
 */
export async function requireAnswer(address: LeaderAddress, milliseconds: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const asked = openLeaderRequest(address, { path: '/healthz' });
  const late = new Error(`nothing came within ${milliseconds} ms`);
  const timer = setTimeout(() => reject(late), milliseconds);
  asked.once('response', resolve);
  asked.on('error', reject);
  asked.end();
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    asked.destroy();
  }
}
