import { Controller, Get, HttpStatus, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type ReadinessCheck, readinessOf } from './readiness.ts';

/** The injection token of the readiness checks. */
export const readinessChecks = Symbol('READINESS_CHECKS');

/** Liveness and readiness, as Kubernetes asks for them; they need no token. */
@Controller()
export class HealthController {
  readonly #checks: readonly ReadinessCheck[];

  constructor(@Inject(readinessChecks) checks: readonly ReadinessCheck[]) {
    this.#checks = checks;
  }

  /** 200 while the process answers at all. */
  @Get('healthz')
  healthz(): { readonly status: string } {
    return { status: 'ok' };
  }

  /** 200 once policies can be carried out, else 503 with what is missing. */
  @Get('readyz')
  async readyz(@Res() reply: FastifyReply): Promise<void> {
    const readiness = readinessOf(this.#checks);
    await reply.code(readiness.ready ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE).send(readiness);
  }
}
