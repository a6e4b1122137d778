import { Controller, Param, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { maximumDeliveryBytes, sendAnswer } from './webhook-gate.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

/** Deliveries of forges: no token opens the route, a signature over the body's bytes does. */
@Controller('webhooks')
export class WebhooksController {
  readonly #receiver: WebhookReceiver;

  constructor(receiver: WebhookReceiver) {
    this.#receiver = receiver;
  }

  @Post(':source')
  @RouteConfig({ rawBodyBytes: maximumDeliveryBytes })
  async receive(
    @Param('source') source: string,
    @Req() { headers, body }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    await sendAnswer(reply, await this.#receiver.receive(source, { headers, body: bytes }));
  }
}
