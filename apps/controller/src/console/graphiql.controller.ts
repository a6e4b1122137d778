import { join } from 'node:path';
import { Controller, Get, HttpStatus, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Configuration } from '#configuration';
import { configurationToken } from '../configuration/configuration.module.ts';
import { httpProblem } from '../http/problem.ts';
import { BuiltConsole, builtConsoleFolder } from './built-console.ts';
import { MissingPages } from './missing-pages.ts';
import { sendFile, sendPage } from './send-console-file.ts';

/** Serves GraphiQL where it is switched on; as the console, it is program text that asks for a sign-in itself. */
@Controller('graphiql')
export class GraphiqlController {
  /** Undefined: it is off, and answered as what there is not. */
  readonly #files: BuiltConsole | undefined;

  readonly #missingPages: MissingPages;

  constructor(@Inject(configurationToken) { graphql }: Configuration, missingPages: MissingPages) {
    this.#missingPages = missingPages;
    this.#files = graphql.graphiql ? new BuiltConsole(join(builtConsoleFolder, 'graphiql')) : undefined;
  }

  @Get()
  async page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (this.#files === undefined)
      await this.#missingPages.send(request, reply, httpProblem(HttpStatus.NOT_FOUND));
    else await sendPage(reply, await this.#files.load('graphiql.html', request.headers['accept-encoding']));
  }

  @Get('assets/:file')
  async asset(
    @Param('file') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const file = await this.#files?.load(`assets/${name}`, request.headers['accept-encoding']);
    await sendFile(reply, file, 'asset');
  }
}
