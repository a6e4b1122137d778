import { Controller, Get, HttpStatus, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { Readiness } from './readiness.ts';

const probed = { isForEveryHost: true };

/** Liveness and readiness, as Kubernetes asks for them; they need no token. */
@Controller()
export class HealthController {
  readonly #readiness: Readiness;

  constructor(readiness: Readiness) {
    this.#readiness = readiness;
  }

  /** 200 while the process answers at all. */
  @Get('healthz')
  @RouteConfig(probed)
  healthz(): { readonly status: string } {
    return { status: 'ok' };
  }

  /** 200 where the process can answer and carries policies out, or could take over; else 503 with what is missing. */
  @Get('readyz')
  @RouteConfig(probed)
  async readyz(@Res() reply: FastifyReply): Promise<void> {
    const report = this.#readiness.report();
    await reply.code(report.ready ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE).send(report);
  }
}
