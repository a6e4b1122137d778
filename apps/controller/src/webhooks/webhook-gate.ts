import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendProblem } from '../http/problem.ts';
import type { WebhookAnswer, WebhookReceiver } from './webhook-receiver.ts';

/** A push of 2,000 commits with long lists of files; the interval of the source finds what is larger. */
export const maximumDeliveryBytes = 4 * 1024 * 1024;

/** Bodies held at a time, so that strangers can make us hold 64 MiB and no more. */
const maximumDeliveriesAtOnce = 16;

/** A forge sends its few kilobytes at once; who takes longer may be cut off where others wait. */
const patienceMilliseconds = 2_000;

/** What the gate stands before; `now` is monotonic, in milliseconds. */
export interface WebhookGateOptions {
  readonly receiver: WebhookReceiver;
  readonly now?: () => number;
}

/** Refuses deliveries that need no body to be refused, and bounds how many bodies are held. */
export class WebhookGate {
  readonly #receiver: WebhookReceiver;
  readonly #now: () => number;
  readonly #open = new Map<FastifyRequest, number>();

  constructor({ receiver, now = () => performance.now() }: WebhookGateOptions) {
    this.#receiver = receiver;
    this.#now = now;
  }

  install(server: FastifyInstance): void {
    server.addHook('onRequest', async (request, reply) =>
      request.routeOptions.config.rawBodyBytes === undefined ? undefined : this.#check(request, reply),
    );
  }

  #check(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    const source = sourceOf(request);
    const early = this.#receiver.refuseEarly(source, request.headers);
    if (early !== undefined) return sendAnswer(reply, early);
    if (Number(request.headers['content-length'] ?? 0) > maximumDeliveryBytes)
      return sendAnswer(reply, this.#receiver.refuse(source, 'BodyTooLarge'));
    if (this.#open.size >= maximumDeliveriesAtOnce && !this.#dropSlowest())
      return sendAnswer(reply, this.#receiver.refuse(source, 'TooManyDeliveries'));
    this.#open.set(request, this.#now());
    reply.raw.once('close', () => this.#open.delete(request));
    return undefined;
  }

  /** Ends the delivery that dawdles the longest, so that strangers who send slowly keep no delivery out. */
  #dropSlowest(): boolean {
    for (const [request, since] of this.#open) {
      if (this.#now() - since < patienceMilliseconds) return false;
      if (request.raw.complete) continue;
      this.#open.delete(request);
      request.raw.destroy();
      return true;
    }
    return false;
  }
}

function sourceOf(request: FastifyRequest): string {
  const { params } = request;
  if (typeof params !== 'object' || params === null || !('source' in params)) return '';
  return typeof params.source === 'string' ? params.source : '';
}

/** Sends a receiver's answer. */
export function sendAnswer(reply: FastifyReply, answer: WebhookAnswer): FastifyReply {
  if ('result' in answer) return reply.code(answer.status).send({ result: answer.result });
  return sendProblem(reply, answer);
}
