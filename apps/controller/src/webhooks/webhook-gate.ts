import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressGroup } from '../http/address-group.ts';
import { sendProblem } from '../http/problem.ts';
import { DeliveryRoom, type OpenDelivery } from './delivery-room.ts';
import { type Sender, SenderStandings } from './sender-standings.ts';
import { hookNamesOf } from './verify-delivery.ts';
import type { RefusalCode, WebhookAnswer, WebhookReceiver } from './webhook-receiver.ts';

/** A push of 2,000 commits with long lists of files; the interval of the source finds what is larger. */
export const maximumDeliveryBytes = 4 * 1024 * 1024;

/** A forge sends its few kilobytes at once, and gives up itself after about as long. */
const bodyDeadlineMilliseconds = 10_000;

/** Of a query that names the hook. */
const maximumQueryCharacters = 256;

/** What the gate stands before; the times are for tests. */
export interface WebhookGateOptions {
  readonly receiver: WebhookReceiver;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
  readonly bodyDeadlineMilliseconds?: () => number;
}

/** A delivery that was let in, and who sends it. */
interface AdmittedDelivery {
  readonly open: OpenDelivery;
  readonly sender: Sender;
  readonly deadline: NodeJS.Timeout;
}

/** Refuses deliveries that need no body to be refused, and bounds how many bodies are received, and for how long. */
export class WebhookGate {
  readonly #receiver: WebhookReceiver;
  readonly #standings: SenderStandings;
  readonly #deadlineMilliseconds: () => number;
  readonly #room = new DeliveryRoom();
  readonly #admitted = new Map<FastifyRequest, AdmittedDelivery>();

  constructor(options: WebhookGateOptions) {
    this.#receiver = options.receiver;
    this.#standings = new SenderStandings(options.now ?? (() => performance.now()));
    this.#deadlineMilliseconds = options.bodyDeadlineMilliseconds ?? (() => bodyDeadlineMilliseconds);
  }

  install(server: FastifyInstance): void {
    server.addHook('onRequest', async (request, reply) =>
      request.routeOptions.config.rawBodyBytes === undefined ? undefined : this.#check(request, reply),
    );
    server.addHook('onSend', async (request, { statusCode }) => {
      await Promise.resolve();
      this.#learn(request, statusCode);
    });
  }

  #check(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    const source = sourceOf(request);
    const early = this.#receiver.refuseEarly(source, request.headers);
    if (early !== undefined) return sendAnswer(reply, early);
    const bytes = bodyBytes(request);
    if (bytes > maximumDeliveryBytes) return sendAnswer(reply, this.#receiver.refuse(source, 'BodyTooLarge'));
    const sender = senderOf(request, source);
    const open: OpenDelivery = {
      address: sender.address,
      standing: this.#standings.standingOf(sender),
      bytes,
      isReading: () => !request.raw.complete,
      end: () => this.#end(request, 'TooManyDeliveries'),
    };
    if (!this.#room.admit(open)) return sendAnswer(reply, this.#receiver.refuse(source, 'TooManyDeliveries'));
    const deadline = setTimeout(
      () => this.#end(request, 'BodyTooSlow'),
      this.#deadlineMilliseconds(),
    ).unref();
    this.#admitted.set(request, { open, sender, deadline });
    request.raw.once('end', () => clearTimeout(deadline));
    reply.raw.once('close', () => this.#forget(request));
    return undefined;
  }

  /** Cuts a delivery off whose body has not arrived: nothing can be said to who is still sending. */
  #end(request: FastifyRequest, reason: RefusalCode): void {
    const admitted = this.#admitted.get(request);
    if (admitted !== undefined) this.#standings.recordFailed(admitted.sender);
    this.#receiver.refuse(sourceOf(request), reason);
    this.#forget(request);
    request.raw.destroy();
  }

  #forget(request: FastifyRequest): void {
    const admitted = this.#admitted.get(request);
    if (admitted === undefined) return;
    clearTimeout(admitted.deadline);
    this.#room.release(admitted.open);
    this.#admitted.delete(request);
  }

  /** Learns from the answer to a delivery that was let in what is to be thought of its sender. */
  #learn(request: FastifyRequest, status: number): void {
    const sender = this.#admitted.get(request)?.sender;
    if (sender === undefined) return;
    if (status === 200 || status === 202) this.#standings.recordVerified(sender);
    if (status === 401 || status === 413) this.#standings.recordFailed(sender);
    // What declares its length was refused before; a body in chunks shows it only as it comes.
    if (status === 413) this.#receiver.refuse(sourceOf(request), 'BodyTooLarge');
  }
}

/** The declared length; a body in chunks may become as long as there may be. */
function bodyBytes({ headers }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return maximumDeliveryBytes;
  return Number(headers['content-length'] ?? 0);
}

/** The hooks of one source say nothing at another; a query that was put onto the URL names the hook, too. */
function senderOf(request: FastifyRequest, source: string): Sender {
  const [, ...rest] = request.url.split('?');
  const query = rest.join('?');
  const isName = query !== '' && query.length <= maximumQueryCharacters;
  const names = [...hookNamesOf(request.headers), ...(isName ? [`query ${query}`] : [])];
  return { address: addressGroup(request.ip), hooks: names.map((name) => `${source} ${name}`) };
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
