import { createHash, randomUUID } from 'node:crypto';
import fastifyWebsocket, { type WebSocket } from '@fastify/websocket';
import type { GraphQLSchemaHost } from '@nestjs/graphql';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ExecutionArgs, FormattedExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import {
  type Context,
  type ExecutionResult as Executed,
  handleProtocols,
  makeServer,
  type SubscribePayload,
} from 'graphql-ws';
import type { Logger } from 'pino';
import { type FoundCaller, ownerOf } from '../../auth/callers/principal.ts';
import type { RequestGate } from '../../auth/gate/request-gate.ts';
import { callerNow } from '../../auth/gate/still-let-in.ts';
import { addressGroup } from '../../http/address-group.ts';
import { sendProblem } from '../../http/problem.ts';
import { ProblemError } from '../../http/problem-error.ts';
import type { LoopActivities } from '../../logging/loop-activities.ts';
import { presentError } from '../answers/format-errors.ts';
import type { KnownQueries } from '../documents/known-queries.ts';
import { AnswerBudget } from '../limits/answer-budget.ts';
import { fieldsOf, subscriptionsPath } from '../server/graphql-options.ts';
import { checkedOperation, withCode } from './checked-operation.ts';
import type { SubscriptionContext } from './live.resolver.ts';
import { SharedAnswers, subscribe } from './subscribe.ts';
import { closeCodes, SubscriberSocket } from './subscriber-socket.ts';
import { Turns } from './turns.ts';

/** Subscriptions of one connection: a page of a console has a few. */
const maximumSubscriptions = 20;

/** Connections that have not said whose they are: of one address, and in all. */
const maximumUnknownOfAddress = 8;
const maximumUnknown = 256;

/** Until then a client has said whose it is, or is cut off. */
const initialisationMilliseconds = 5_000;

/** A document of the longest that is parsed, and its variables. */
const maximumMessageBytes = 64 * 1024;

/** Whose a connection is, is asked again so often. */
const tickMilliseconds = 1_000;

/** How long a client that is told why has for its answer. */
const closeTimeoutMilliseconds = 2_000;

/** The types of `ws` do not know the last of them yet. */
const socketOptions = {
  maxPayload: maximumMessageBytes,
  handleProtocols,
  closeTimeout: closeTimeoutMilliseconds,
};

/** Connections at a time. */
export interface ConnectionLimits {
  readonly perCaller: number;
  readonly total: number;
}

export interface SubscriptionServerOptions {
  readonly gate: Pick<RequestGate, 'callerOf' | 'identify'>;
  readonly schemaHost: GraphQLSchemaHost;
  readonly limits: ConnectionLimits;
  readonly known: Pick<KnownQueries, 'require'>;
  readonly activities: Pick<LoopActivities, 'note'>;
  readonly logger: Logger;
}

type SocketContext = Context<Record<string, unknown>, SubscriberSocket>;

/**
 * Subscriptions over WebSockets, by the `graphql-transport-ws` protocol. A client is authenticated as its requests are,
 * when it connects or by its first message, and every second from then on; its documents are checked as queries are; and
 * whoever does not read is cut off.
 *
 * @see docs/graphql.md
 */
export class SubscriptionServer {
  readonly #options: SubscriptionServerOptions;
  readonly #turns = new Turns();
  readonly #answers = new SharedAnswers();
  readonly #sockets = new Set<SubscriberSocket>();
  readonly #protocol: ReturnType<typeof makeServer<Record<string, unknown>, SubscriberSocket>>;
  #timer: NodeJS.Timeout | undefined;
  /** Credentials whose caller is being asked for. */
  readonly #asking = new Set<string>();

  constructor(options: SubscriptionServerOptions) {
    this.#options = options;
    this.#protocol = makeServer<Record<string, unknown>, SubscriberSocket>({
      connectionInitWaitTimeout: initialisationMilliseconds,
      onConnect: ({ connectionParams, extra }) => this.#identify(extra, connectionParams),
      onSubscribe: (context, _id, payload) => this.#check(context, payload),
      subscribe: (args) => this.#subscribe(args),
      onNext: (...[, , , , result]) => this.#present(result),
      onError: (...[, , , errors]) => this.#presented(errors),
    });
  }

  /** To be called once, before the application is initialised. */
  install(server: FastifyInstance): void {
    void server.register(fastifyWebsocket, {
      options: socketOptions,
      preClose: (done) => {
        for (const { socket } of this.#sockets) socket.close(1001, 'The server is stopping');
        done();
      },
      // A broken connection, or what is no WebSocket frame.
      errorHandler: (_error, socket) => socket.terminate(),
    });
    void server.register(async (scope) => {
      await Promise.resolve();
      scope.route({
        method: 'GET',
        url: subscriptionsPath,
        exposeHeadRoute: false,
        config: { opensSocket: true },
        onResponse: endRefused,
        handler: (_request, reply) => sendProblem(reply, upgradeRequired),
        wsHandler: (socket, request) => this.#open(socket, request),
      });
    });
  }

  #open(webSocket: WebSocket, request: FastifyRequest): void {
    const socket = new SubscriberSocket(webSocket, request);
    if (!this.#hasRoomFor(socket)) {
      socket.close(closeCodes.tooMany, 'Too many connections');
      return;
    }
    this.#sockets.add(socket);
    this.#timer ??= setInterval(() => this.#tick(), tickMilliseconds).unref();
    const closed = this.#protocol.opened(
      {
        protocol: webSocket.protocol,
        send: (text) => socket.send(text),
        close: (code = 1000, reason = '') => socket.close(code, reason),
        onMessage: (listener) => {
          socket.onMessage((text) => listener(text).catch((error: unknown) => this.#fail(socket, error)));
        },
      },
      socket,
    );
    webSocket.once('close', (code, reason) => {
      this.#remove(socket);
      void closed(code, reason.toString('utf8'));
    });
  }

  #hasRoomFor(socket: SubscriberSocket): boolean {
    if (this.#sockets.size >= this.#options.limits.total) return false;
    if (socket.isKnown) return this.#hasRoomOf(ownerOf(socket.principal));
    const address = addressGroup(socket.credentials.ip);
    const unknown = [...this.#sockets].filter(({ isKnown }) => !isKnown);
    const ofAddress = unknown.filter(({ credentials }) => addressGroup(credentials.ip) === address);
    return unknown.length < maximumUnknown && ofAddress.length < maximumUnknownOfAddress;
  }

  #hasRoomOf(owner: string): boolean {
    const own = [...this.#sockets].filter(
      ({ isKnown, principal }) => isKnown && ownerOf(principal) === owner,
    );
    return own.length < this.#options.limits.perCaller;
  }

  /** Those who were known when they connected need say nothing. */
  async #identify(
    socket: SubscriberSocket,
    parameters: Readonly<Record<string, unknown>> | undefined,
  ): Promise<boolean> {
    const authorization = parameters?.['authorization'] ?? parameters?.['Authorization'];
    // Clients that have no token send null or an empty text, or leave it out.
    const isLeftOut = authorization === undefined || authorization === null || authorization === '';
    if (isLeftOut && socket.isKnown) return true;
    const { ip } = socket.credentials;
    const given = typeof authorization === 'string' ? authorization : '';
    const headers = isLeftOut ? {} : { authorization: given };
    return this.#admit(socket, { method: 'GET', headers, ip });
  }

  async #admit(socket: SubscriberSocket, credentials: SubscriberSocket['credentials']): Promise<boolean> {
    const principal = await this.#options.gate
      .identify(credentials)
      .catch((error: unknown) => closeUnanswered(socket, error));
    if (principal === undefined) return false;
    if (socket.isKnown) return principal.name === socket.principal.name;
    if (!this.#hasRoomOf(ownerOf(principal))) {
      socket.close(closeCodes.tooMany, 'Too many connections');
      return false;
    }
    socket.identify(principal, credentials);
    return true;
  }

  #check(
    { subscriptions, extra }: SocketContext,
    payload: SubscribePayload,
  ): ExecutionArgs | readonly GraphQLError[] {
    if (Object.keys(subscriptions).length > maximumSubscriptions) {
      const message = `a connection has at most ${maximumSubscriptions} subscriptions`;
      return [withCode(message, 'TooManySubscriptions')];
    }
    const { schema } = this.#options.schemaHost;
    const operation = checkedOperation(schema, payload, this.#options.known);
    if (!('document' in operation)) return operation;
    this.#options.activities.note(`GraphQL ${fieldsOf(operation.document).join(', ')}`);
    return { ...operation, schema, contextValue: contextOf(extra, keyOf(payload)) };
  }

  #subscribe(args: ExecutionArgs): ReturnType<typeof subscribe> {
    // Made by #check.
    const { contextOf, keyOf } = args.contextValue as LiveContext;
    return subscribe(args, { turns: this.#turns, shared: this.#answers, contextOf, keyOf });
  }

  #present({ errors, data = null }: Executed): FormattedExecutionResult {
    return errors === undefined ? { data } : { data, errors: this.#presented(errors) };
  }

  #presented(errors: readonly GraphQLError[]): readonly GraphQLFormattedError[] {
    return errors.map((error) => {
      const isPresented = error.extensions['code'] !== undefined;
      return (isPresented ? error : presentError(error, this.#options.logger)).toJSON();
    });
  }

  #fail(socket: SubscriberSocket, error: unknown): void {
    const id = randomUUID();
    this.#options.logger.error({ err: error, errorId: id }, 'a message of a subscriber failed');
    socket.close(1011, `internal error ${id}`);
  }

  #tick(): void {
    for (const socket of this.#sockets) socket.tick();
    const known = [...this.#sockets].filter(({ isKnown }) => isKnown);
    for (const [key, sockets] of Map.groupBy(known, credentialsKey)) {
      if (this.#asking.has(key)) continue;
      this.#asking.add(key);
      void this.#askAgain(sockets).finally(() => this.#asking.delete(key));
    }
  }

  /** Whose connections of the same credentials are. An answer that takes long keeps none of the others. */
  async #askAgain(sockets: readonly SubscriberSocket[]): Promise<void> {
    const [first] = sockets;
    if (first === undefined) return;
    const answer = this.#options.gate.callerOf(first.credentials);
    await Promise.all(sockets.map((socket) => this.#identifyAgain(socket, answer)));
  }

  /** Whose token cannot be asked about now is asked about again in a second. */
  async #identifyAgain(socket: SubscriberSocket, answer: Promise<FoundCaller>): Promise<void> {
    const caller = await callerNow(socket, answer)
      .catch((error: unknown) => closeUnanswered(socket, error))
      .catch(() => undefined);
    if (caller === 'Unanswered') return;
    if (caller === undefined || caller === 'CrossOrigin')
      socket.close(closeCodes.unauthorized, 'The token is no longer valid');
    else socket.identify(caller, socket.credentials);
  }

  #remove(socket: SubscriberSocket): void {
    this.#sockets.delete(socket);
    if (this.#sockets.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function credentialsKey({ credentials: { headers } }: SubscriberSocket): string {
  const { authorization, cookie = '', origin = '' } = headers;
  return authorization ?? `${origin} ${cookie}`;
}

/** Where nobody can tell whose the token is, it is not said to be wrong. */
function closeUnanswered(socket: SubscriberSocket, error: unknown): undefined {
  if (!(error instanceof ProblemError)) throw error;
  socket.close(closeCodes.tryAgain, 'The token cannot be checked now');
}

/** Of the subscription; each event has one of its own. */
interface LiveContext extends SubscriptionContext {
  readonly contextOf: () => SubscriptionContext;
  readonly keyOf: () => string;
}

/** The same for the same operation with the same variables. */
function keyOf({ query, operationName = null, variables = {} }: SubscribePayload): string {
  return createHash('sha256')
    .update(JSON.stringify([query, operationName, variables]))
    .digest('hex');
}

function contextOf(socket: SubscriberSocket, operation: string): LiveContext {
  const closeSlow = (): void => socket.closeSlow();
  return {
    // As it is at each event.
    get principal() {
      return socket.principal;
    },
    budget: new AnswerBudget(),
    closeSlow,
    contextOf: () => ({ principal: socket.principal, budget: new AnswerBudget(), closeSlow }),
    keyOf: () => `${operation} ${socket.principalKey}`,
  };
}

/** The HTTP server has given away the connection of an upgrade: nothing else ends it where a hook refuses it. */
async function endRefused({ headers, raw }: FastifyRequest): Promise<void> {
  await Promise.resolve();
  if (headers.upgrade !== undefined) raw.socket.destroySoon();
}

const upgradeRequired = {
  status: 426,
  code: 'UpgradeRequired',
  detail: 'subscriptions are sent over a WebSocket, with the protocol graphql-transport-ws',
};
