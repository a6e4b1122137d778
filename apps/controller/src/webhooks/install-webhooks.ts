import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RefusalCode, WebhookAnswer, WebhookReceiver } from './webhook-receiver.ts';

/** The route as the request gate knows it: the one that no token opens. */
export const webhookRoute = '/webhooks/:source';

/** A push of 2,000 commits with long lists of files; the interval of the source finds what is larger. */
export const maximumDeliveryBytes = 4 * 1024 * 1024;

/** Bodies held at a time, so that strangers can make us hold 64 MiB and no more. */
const maximumDeliveriesAtOnce = 16;

/** A forge sends its few kilobytes at once; who takes longer may be cut off where others wait. */
const patienceMilliseconds = 2_000;

/** Answers `POST /webhooks/<source>`, with bodies kept as the bytes that were signed. `now` in milliseconds. */
export function installWebhooks(
  server: FastifyInstance,
  receiver: WebhookReceiver,
  now: () => number = () => performance.now(),
): void {
  void server.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body));
    scope.addHook('onRequest', gate(receiver, now));
    scope.setErrorHandler((error: FastifyError, request, reply) =>
      send(reply, receiver.refuse(sourceOf(request), codeOf(error))),
    );
    scope.post(webhookRoute, { bodyLimit: maximumDeliveryBytes }, async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      return send(reply, await receiver.receive(sourceOf(request), { headers: request.headers, body }));
    });
    done();
  });
}

/** Refuses what needs no body to be refused, and bounds how many bodies there are. */
function gate(receiver: WebhookReceiver, now: () => number) {
  const open = new Map<FastifyRequest, number>();
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const source = sourceOf(request);
    const early = receiver.refuseEarly(source, request.headers);
    if (early !== undefined) return send(reply, early);
    if (open.size >= maximumDeliveriesAtOnce && !dropSlowest(open, now()))
      return send(reply, receiver.refuse(source, 'TooManyDeliveries'));
    open.set(request, now());
    reply.raw.once('close', () => open.delete(request));
    return undefined;
  };
}

/** Ends the delivery that dawdles the longest, so that strangers who send slowly keep nobody out. */
function dropSlowest(open: Map<FastifyRequest, number>, now: number): boolean {
  for (const [request, since] of open) {
    if (now - since < patienceMilliseconds) return false;
    if (request.raw.complete) continue;
    open.delete(request);
    request.raw.destroy();
    return true;
  }
  return false;
}

function sourceOf(request: FastifyRequest): string {
  const { params } = request;
  if (typeof params !== 'object' || params === null || !('source' in params)) return '';
  return typeof params.source === 'string' ? params.source : '';
}

function codeOf(error: FastifyError): RefusalCode {
  return error.statusCode === 413 ? 'BodyTooLarge' : 'BadRequest';
}

async function send(reply: FastifyReply, answer: WebhookAnswer): Promise<FastifyReply> {
  if ('result' in answer) return reply.code(answer.status).send({ result: answer.result });
  // What was refused before it was read is not read any more.
  if (answer.status === 503) void reply.header('retry-after', '30');
  return reply
    .code(answer.status)
    .type('application/problem+json')
    .send({ type: 'about:blank', ...answer });
}
