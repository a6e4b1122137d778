import { HttpStatus } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { httpProblem, sendProblem } from '../http/problem.ts';
import type { ConsoleFile } from './built-console.ts';

/** What a page of the console may do: load its own files, and ask this server. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A controller that runs from its sources, or whose build was cut short. */
const notBuilt =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Plimsoll</title>' +
  '<h1>The console is not built</h1><p>Run <code>npm run build</code> where this controller was installed, ' +
  'and start it again. The API answers meanwhile: <a href="/api/v1/reference">reference</a>.</p></html>\n';

/** Sends a page; undefined: it was not built. */
export async function sendPage(reply: FastifyReply, page: ConsoleFile | undefined): Promise<void> {
  void reply.header('content-security-policy', contentSecurityPolicy).header('cache-control', 'no-cache');
  if (page !== undefined) await send(reply, page);
  else await reply.code(HttpStatus.SERVICE_UNAVAILABLE).type('text/html; charset=utf-8').send(notBuilt);
}

/** How long a browser keeps a file: the name of an asset holds the hash of what is in it. */
const cacheControl = {
  asset: 'public, max-age=31536000, immutable',
  icon: 'public, max-age=86400',
} as const;

/** Sends what a page loads; undefined: there is no such file. */
export async function sendFile(
  reply: FastifyReply,
  file: ConsoleFile | undefined,
  kind: keyof typeof cacheControl,
): Promise<void> {
  if (file === undefined) sendProblem(reply, httpProblem(HttpStatus.NOT_FOUND));
  else await send(reply.header('cache-control', cacheControl[kind]), file);
}

async function send(reply: FastifyReply, { bytes, type, encoding }: ConsoleFile): Promise<void> {
  if (encoding !== undefined) void reply.header('content-encoding', encoding);
  await reply.header('vary', 'accept-encoding').type(type).send(bytes);
}
