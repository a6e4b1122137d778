import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BuiltConsole } from './built-console.ts';
import { consolePages } from './console-paths.ts';
import { sendFile, sendPage } from './send-console-file.ts';

/** Serves the console to everyone: it holds nothing but program text, and asks for a sign-in itself. */
@Controller()
export class ConsoleController {
  readonly #console: BuiltConsole;

  constructor(console: BuiltConsole) {
    this.#console = console;
  }

  @Get([...consolePages])
  async page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await sendPage(reply, await this.#console.load('index.html', request.headers['accept-encoding']));
  }

  @Get('assets/:file')
  async asset(
    @Param('file') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const file = await this.#console.load(`assets/${name}`, request.headers['accept-encoding']);
    await sendFile(reply, file, 'asset');
  }

  @Get('favicon.svg')
  async icon(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const file = await this.#console.load('favicon.svg', request.headers['accept-encoding']);
    await sendFile(reply, file, 'icon');
  }
}
