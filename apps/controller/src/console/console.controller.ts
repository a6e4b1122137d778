import { Controller, Get, HttpStatus, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { httpProblem } from '../http/problem.filter.ts';
import { sendProblem } from '../http/problem.ts';
import { BuiltConsole, type ConsoleFile } from './built-console.ts';
import { consolePages } from './console-paths.ts';

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

/** A name holds the hash of what is in the file. */
const forGood = 'public, max-age=31536000, immutable';

/** A controller that runs from its sources, or whose build was cut short. */
const notBuilt =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Plimsoll</title>' +
  '<h1>The console is not built</h1><p>Run <code>npm run build</code> where this controller was installed, ' +
  'and start it again. The API answers meanwhile: <a href="/api/v1/reference">reference</a>.</p></html>\n';

/** Serves the console to everyone: it holds nothing but program text, and asks for a sign-in itself. */
@Controller()
export class ConsoleController {
  readonly #console: BuiltConsole;

  constructor(console: BuiltConsole) {
    this.#console = console;
  }

  @Get([...consolePages])
  async page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const file = await this.#console.load('index.html', request.headers['accept-encoding']);
    void reply.header('content-security-policy', contentSecurityPolicy).header('cache-control', 'no-cache');
    if (file !== undefined) await send(reply, file);
    else await reply.code(HttpStatus.SERVICE_UNAVAILABLE).type('text/html; charset=utf-8').send(notBuilt);
  }

  @Get('assets/:file')
  async asset(
    @Param('file') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const file = await this.#console.load(`assets/${name}`, request.headers['accept-encoding']);
    if (file === undefined) sendProblem(reply, httpProblem(HttpStatus.NOT_FOUND));
    else await send(reply.header('cache-control', forGood), file);
  }

  @Get('favicon.svg')
  async icon(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const file = await this.#console.load('favicon.svg', request.headers['accept-encoding']);
    if (file === undefined) sendProblem(reply, httpProblem(HttpStatus.NOT_FOUND));
    else await send(reply.header('cache-control', 'public, max-age=86400'), file);
  }
}

async function send(reply: FastifyReply, { bytes, type, encoding }: ConsoleFile): Promise<void> {
  if (encoding !== undefined) void reply.header('content-encoding', encoding);
  await reply.header('vary', 'accept-encoding').type(type).send(bytes);
}
