import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

const ofResponses = 'application/graphql-response+json';
const ofJson = 'application/json';

/** Of a caller that takes any, as programs do that say nothing; the same without the header. */
const anything = '*/*';

/** How an answer of the GraphQL endpoint is sent. */
export interface Negotiated {
  readonly type: typeof ofResponses | typeof ofJson;
  /** The caller asks for `application/json` by name, and takes any other status than 200 for no answer of GraphQL. */
  readonly isAlways200: boolean;
}

/**
 * What a caller accepts. Without a preference it is `application/json` with the statuses of HTTP, as for everything else
 * that this server answers.
 *
 * @see https://graphql.github.io/graphql-over-http/draft/#sec-Media-Types
 */
export function negotiate({ headers }: Pick<FastifyRequest, 'headers'>): Negotiated {
  const { accept = anything } = headers;
  if (accept === anything) return { type: ofJson, isAlways200: false };
  const negotiator = new Negotiator({ headers });
  const type = negotiator.mediaType([ofJson, ofResponses]) === ofResponses ? ofResponses : ofJson;
  return { type, isAlways200: type === ofJson && negotiator.mediaTypes().includes(ofJson) };
}

/** Before a request is validated: `extensions: null` is none, and the answer has the type that was asked for. */
export async function prepareRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  await Promise.resolve();
  void reply.type(`${negotiate(request).type}; charset=utf-8`);
  const { body } = request;
  if (typeof body === 'object' && body !== null && 'extensions' in body && body.extensions === null)
    delete body.extensions;
}
