import { createHash } from 'node:crypto';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readTextFile } from '#files';
import { fileFault, messageOf } from '#kernel';
import { graphqlPath } from '../admin-graphql/server/graphql-options.ts';
import type { Leadership } from '../coordination/shards/leadership.ts';
import { mayBeDone, sendProblem } from '../http/problem.ts';
import { type LeaderAddress, openLeaderRequest, requireAnswer } from './leader-request.ts';
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
  /** Within what a leader that does not hang answers a question about its health; 4 s by default. */
  readonly signMilliseconds?: number;
}

/** Marks a request that a replica has sent on: it goes no further. */
export const forwardedHeader = 'x-plimsoll-forwarded';

const defaultAnswerMilliseconds = 150_000;

/** A leader that is only busy answers within it. */
const defaultSignMilliseconds = 4_000;

/** While an answer is waited for, the leader is asked so often whether it hangs. */
const lookMilliseconds = 1_000;

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
    if (request.headers[forwardedHeader] !== undefined) return refuse(request, reply, notLeader);
    const url = await this.#leaderUrl();
    if (url === null) return refuse(request, reply, noLeader);
    return this.#forward(request, reply, url);
  }

  /** Null: it is not known. */
  async #leaderUrl(): Promise<string | null> {
    const { leadership, log } = this.#options;
    try {
      return await leadership.leaderUrl();
    } catch (error) {
      log({ reason: messageOf(error) }, 'the database does not say where the leader is');
      return null;
    }
  }

  async #forward(request: FastifyRequest, reply: FastifyReply, url: string): Promise<FastifyReply> {
    const authorities = await this.#authorities();
    if (authorities !== null && 'code' in authorities) return refuse(request, reply, authorities);
    const address = { url, ca: authorities?.text };
    const answer = (await this.#silence(address)) ?? (await this.#send(request, reply, address));
    if ('code' in answer) return refuse(request, reply, answer);
    void reply.code(answer.statusCode ?? 502).headers(lasting(answer.headers));
    return reply.send(answer);
  }

  /** Nothing is sent to a leader that hangs: it would be carried out whenever it wakes. Null: it answers. */
  async #silence(address: LeaderAddress): Promise<Unanswered | null> {
    const { log, signMilliseconds = defaultSignMilliseconds } = this.#options;
    try {
      await requireAnswer(address, signMilliseconds);
      return null;
    } catch (error) {
      log({ reason: messageOf(error), url: address.url }, 'the leader does not answer; it was sent nothing');
      return silentLeader;
    }
  }

  /** Null: the system's. */
  async #authorities(): Promise<{ readonly text: string } | Unanswered | null> {
    const { caFile, log } = this.#options;
    if (caFile === undefined) return null;
    try {
      return { text: await readTextFile(caFile) };
    } catch (error) {
      log({ reason: fileFault(error) }, 'coordination.caFile cannot be read');
      return noLeader;
    }
  }

  #send(
    request: FastifyRequest,
    reply: FastifyReply,
    address: LeaderAddress,
  ): Promise<IncomingMessage | Unanswered> {
    const { answerMilliseconds = defaultAnswerMilliseconds, log } = this.#options;
    const body = bodyOf(request);
    const { promise, resolve } = Promise.withResolvers<IncomingMessage | Unanswered>();
    const sent = openLeaderRequest(address, {
      method: request.method,
      path: request.url.replace(absoluteForm, '/'),
      headers: { ...headersOf(request), ...(body === undefined ? {} : { 'content-length': body.length }) },
    });
    const answering = setTimeout(
      () => sent.destroy(new Error('the answer took too long')),
      answerMilliseconds,
    );
    let isSent = false;
    const connected = address.url.startsWith('https:') ? 'secureConnect' : 'connect';
    sent.once('socket', (socket) => socket.once(connected, () => (isSent = true)));
    sent.once('response', resolve);
    const end = (): void => resolve(isSent ? outcomeUnknown : noLeader);
    sent.on('error', (error) => {
      log({ reason: messageOf(error), url: address.url }, 'the leader did not answer a request');
      end();
    });
    const closing = new AbortController();
    sent.once('close', () => {
      clearTimeout(answering);
      closing.abort();
      // Of an answer that goes on with another protocol Node says nothing else.
      end();
    });
    reply.raw.once('close', () => sent.destroy());
    sent.end(body);
    void this.#endWhereSilent(sent, address, closing.signal);
    return promise;
  }

  /** Ends a request once the leader answers nothing at all any more, so that nobody waits for one that hangs. */
  async #endWhereSilent(sent: ClientRequest, address: LeaderAddress, closed: AbortSignal): Promise<void> {
    const { signMilliseconds = defaultSignMilliseconds } = this.#options;
    try {
      for (;;) {
        await delay(lookMilliseconds, undefined, { signal: closed, ref: false });
        await requireAnswer(address, signMilliseconds);
      }
    } catch (error) {
      if (!closed.aborted) sent.destroy(error instanceof Error ? error : new Error(messageOf(error)));
    }
  }
}

/** Why there is no answer of the leader. */
interface Unanswered {
  readonly status: 503;
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
const silentLeader: Unanswered = {
  status: 503,
  code: 'NoLeader',
  detail:
    'the replica that leads does not answer, and another one takes over once its Lease has expired; nothing was done: ask again in a moment',
};
const outcomeUnknown: Unanswered = {
  status: 503,
  code: 'OutcomeUnknown',
  detail:
    'the replica that leads has stopped answering, and what was asked for may have been recorded: look whether it is done, or ask again with the same Idempotency-Key, by which nothing is carried out twice; where that is answered with OutcomeUnknown (409), too, look, and ask for what is not done with a new key',
};

function refuse(request: FastifyRequest, reply: FastifyReply, unanswered: Unanswered): FastifyReply {
  const { status, code, detail } = unanswered;
  if (!mayBeDone(request, unanswered)) void reply.header('retry-after', String(retryAfterSeconds));
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
