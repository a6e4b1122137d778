import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { messageOf } from '#kernel';
import { graphqlPath } from '../admin-graphql/graphql-options.ts';
import type { Leadership } from '../coordination/leadership.ts';
import { sendProblem } from '../http/problem.ts';
import { isForLeader } from './leaders-requests.ts';

export interface RequestForwardingOptions {
  readonly leadership: Leadership;
  /** GraphQL texts that clients may send as hashes from the start. */
  readonly knownTexts: readonly string[];
  readonly log: (fields: object, message: string) => void;
  /** The authorities that a leader's https:// is trusted by, as PEM; the system's by default. Read for each request. */
  readonly caFile?: string | undefined;
  /** How long the leader may take to answer; 150 s by default, which is as long as `plimsoll` waits for an action. */
  readonly answerMilliseconds?: number;
}

/** Marks a request that a replica has sent on: it goes no further. */
export const forwardedHeader = 'x-plimsoll-forwarded';

const connectMilliseconds = 5_000;
const defaultAnswerMilliseconds = 150_000;

/** When a client may ask again: a leader is there a moment after the one before is gone. */
const retryAfterSeconds = 2;

/** What clients of a proxy send before the path. The rest stays as it was routed here: no dots are taken out of it. */
const absoluteForm = /^https?:\/\/.*?\//;

/** Of one connection, and not of the request. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What a proxy says of the caller: said anew, since what came in may be anyone's. */
const ofProxies: ReadonlySet<string> = new Set([
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]);

/**
 * Sends a request that only the leader can answer to it, as it came and with its caller's own credentials, and passes the
 * answer back. The caller was let in here, by this replica's limits; what it may do, the leader decides.
 */
export class RequestForwarding {
  readonly #options: RequestForwardingOptions;
  readonly #texts: ReadonlyMap<string, string>;

  constructor(options: RequestForwardingOptions) {
    this.#options = options;
    this.#texts = new Map(options.knownTexts.map((text) => [digestOf(text), text]));
  }

  install(server: FastifyInstance): void {
    server.addHook('preHandler', async (request, reply) => this.#route(request, reply));
  }

  async #route(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const { leadership } = this.#options;
    if (leadership.mode === 'OneProcess' || leadership.isLeader()) return undefined;
    if (!isForLeader(request, (hash) => this.#texts.get(hash))) return undefined;
    const url = leadership.leaderUrl();
    if (url === null) return refuse(request, reply, noLeader);
    if (request.headers[forwardedHeader] !== undefined) return refuse(request, reply, notLeader);
    return this.#forward(request, reply, url);
  }

  async #forward(request: FastifyRequest, reply: FastifyReply, url: string): Promise<FastifyReply> {
    const authorities = await this.#authorities();
    if (authorities !== null && 'code' in authorities) return refuse(request, reply, authorities);
    const answer = await this.#send(request, reply, { url, ca: authorities?.text });
    if ('code' in answer) return refuse(request, reply, answer);
    void reply.code(answer.statusCode ?? 502).headers(lasting(answer.headers));
    return reply.send(answer);
  }

  /** Null: the system's. */
  async #authorities(): Promise<{ readonly text: string } | Unanswered | null> {
    const { caFile, log } = this.#options;
    if (caFile === undefined) return null;
    try {
      return { text: await readFile(caFile, 'utf8') };
    } catch (error) {
      log({ reason: messageOf(error) }, 'coordination.caFile cannot be read');
      return noLeader;
    }
  }

  #send(
    request: FastifyRequest,
    reply: FastifyReply,
    { url, ca }: { readonly url: string; readonly ca: string | undefined },
  ): Promise<IncomingMessage | Unanswered> {
    const { answerMilliseconds = defaultAnswerMilliseconds, log } = this.#options;
    const target = new URL(url);
    const body = bodyOf(request);
    const { promise, resolve } = Promise.withResolvers<IncomingMessage | Unanswered>();
    let isSent = false;
    const sent = (target.protocol === 'https:' ? https : http).request(target, {
      method: request.method,
      path: `${target.pathname.replace(/\/$/, '')}${request.url.replace(absoluteForm, '/')}`,
      headers: { ...headersOf(request), ...(body === undefined ? {} : { 'content-length': body.length }) },
      // A connection of its own: on one that the leader closes at that moment it would not be known what was done.
      agent: false,
      ...(ca === undefined ? {} : { ca }),
      // Else the certificate would have to name the caller's Host.
      servername: isIP(target.hostname.replace(/^\[|\]$/gu, '')) === 0 ? target.hostname : '',
    });
    const connecting = setTimeout(
      () => sent.destroy(new Error('the connection took too long')),
      connectMilliseconds,
    );
    const answering = setTimeout(
      () => sent.destroy(new Error('the answer took too long')),
      answerMilliseconds,
    );
    sent.once('socket', (socket) =>
      socket.once(target.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        clearTimeout(connecting);
        isSent = true;
      }),
    );
    sent.once('response', resolve);
    sent.on('error', (error) => {
      log({ reason: messageOf(error), url }, 'the leader did not answer a request');
      resolve(isSent ? outcomeUnknown : noLeader);
    });
    sent.once('close', () => [connecting, answering].forEach((timer) => clearTimeout(timer)));
    reply.raw.once('close', () => sent.destroy());
    sent.end(body);
    return promise;
  }
}

/** Why there is no answer of the leader. */
interface Unanswered {
  readonly status: 503 | 504;
  readonly code: 'NoLeader' | 'OutcomeUnknown';
  readonly detail: string;
}

const noLeader: Unanswered = {
  status: 503,
  code: 'NoLeader',
  detail: 'no replica is known that leads, and can be reached; nothing was done: ask again in a moment',
};
const notLeader: Unanswered = {
  status: 503,
  code: 'NoLeader',
  detail: 'another replica took this one for the leader; nothing was done: ask again in a moment',
};
const outcomeUnknown: Unanswered = {
  status: 504,
  code: 'OutcomeUnknown',
  detail: 'the replica that leads has not answered; look whether it is done',
};

function refuse(request: FastifyRequest, reply: FastifyReply, unanswered: Unanswered): FastifyReply {
  const { status, code, detail } = unanswered;
  void reply.header('retry-after', String(retryAfterSeconds));
  if (request.routeOptions.url !== graphqlPath) return sendProblem(reply, unanswered);
  return reply.code(status).send({ errors: [{ message: detail, extensions: { code } }] });
}

/** Bytes stay as they are; JSON was parsed, and says the same. */
function bodyOf({ body }: FastifyRequest): Buffer | undefined {
  if (body === undefined || body === null) return undefined;
  return Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
}

function headersOf(request: FastifyRequest): Record<string, string | string[]> {
  const kept = Object.entries(lasting(request.headers)).filter(([name]) => !ofProxies.has(name));
  return {
    ...Object.fromEntries(kept),
    // The address that this replica believes: the leader believes it of its trusted proxies.
    'x-forwarded-for': request.ip,
    'x-forwarded-proto': request.protocol,
    [forwardedHeader]: '1',
  };
}

function lasting(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || hopByHop.has(name) || named.has(name) ? [] : [[name, value] as const],
  );
  return Object.fromEntries(kept);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
