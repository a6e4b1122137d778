import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { allowedMethods, apiPrefix } from '#contracts';
import { maximumAnswerBytes } from './admin-graphql/limits/answer-budget.ts';
import { boundQueries } from './admin-graphql/limits/query-deadline.ts';
import { graphqlPath, subscriptionsPath } from './admin-graphql/server/graphql-options.ts';
import { SubscriptionServer } from './admin-graphql/subscriptions/subscription-server.ts';
import { refuseUnmetPreconditions } from './admin-rest/answers/preconditions.ts';
import { RequestGate } from './auth/gate/request-gate.ts';
import { MissingPages } from './console/missing-pages.ts';
import { ConnectionRoom } from './http/connection-room.ts';
import { cutOffStalled } from './http/cut-off-stalled.ts';
import { httpProblem, maximumBodyBytes, problemDocument, sendProblem } from './http/problem.ts';
import { refuseCodedBodies } from './http/refuse-coded-bodies.ts';
import { refuseUnreadableRequest } from './http/refuse-unreadable-request.ts';
import { setSecureHeaders } from './http/secure-headers.ts';
import type { TlsCertificate } from './http/tls-files.ts';
import { trustedProxiesOf } from './http/trusted-proxies.ts';
import { LoopActivities } from './logging/loop-activities.ts';
import { callerProblem, ProblemFilter } from './refusals/problem.filter.ts';
import { RequestForwarding } from './replicas/request-forwarding.ts';
import { WebhookGate } from './webhooks/webhook-gate.ts';

declare module 'fastify' {
  interface FastifyInstance {
    requestGate: RequestGate;
    problems: ProblemFilter;
    missingPages: MissingPages;
  }
  interface FastifyContextConfig {
    /** The route takes its body as it came, of any content type, up to this many bytes. */
    rawBodyBytes?: number;
  }
}

/** The id of an entry, percent-encoded, is the longest. */
const maximumParameterCharacters = 1_024;

/** A request that has not arrived whole by then is cut off. */
const requestTimeoutMilliseconds = 30_000;

/** Before it there is no request, whose time would be over; a server that ends waits for as long. */
const handshakeTimeout = 10_000;

/** Node's own is longer, and of the two it takes the longer one for the whole of a request. */
const headersTimeout = requestTimeoutMilliseconds;

/**
 * Fastify with the limits of the API. The address of a request is that of its connection, or, where that is a trusted
 * proxy's, the last one in `X-Forwarded-For` that is none.
 */
export function createHttpAdapter(trustedProxies: readonly string[], tls?: TlsCertificate): FastifyAdapter {
  return new FastifyAdapter({
    ...(tls === undefined
      ? {}
      : { https: { ...tls, minVersion: 'TLSv1.2', headersTimeout, handshakeTimeout } }),
    trustProxy: trustedProxies.length === 0 ? false : trustedProxiesOf(trustedProxies),
    bodyLimit: maximumBodyBytes,
    routerOptions: { maxParamLength: maximumParameterCharacters },
    requestTimeout: requestTimeoutMilliseconds,
    forceCloseConnections: true,
    clientErrorHandler: refuseUnreadableRequest,
    // Some clients offer HTTP/2 with every request: elsewhere an upgrade is a request as any other.
    http: {
      headersTimeout,
      shouldUpgradeCallback: ({ url, headers }) =>
        url?.split('?')[0] === subscriptionsPath && headers.upgrade?.toLowerCase() === 'websocket',
    },
    // A number where a text belongs is a mistake of the caller's.
    ajv: { customOptions: { coerceTypes: false } },
    // What the router itself refuses, a malformed path for one, meets no hook.
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      request.server.requestGate
        .check(request, reply)
        .then(async (refused) => {
          if (refused === undefined)
            await request.server.missingPages.send(request, reply, callerProblem(error) ?? badRequest);
        })
        .catch((failure: unknown) => sendProblem(reply, request.server.problems.problemOf(failure)));
    },
  });
}

/**
 * Installs what stands before every route, Nest's own or not: authentication, the Host check, limits and body parsing. To
 * be called once, before the application is initialised; the application must be created without Nest's body parser.
 */
export function configureApplication(application: NestFastifyApplication): void {
  const server = application.getHttpAdapter().getInstance();
  const gate = application.get(RequestGate);
  server.decorate('requestGate', gate);
  const problems: ProblemFilter = application.get(ProblemFilter);
  server.decorate('problems', problems);
  gate.install(server);
  const missingPages = application.get(MissingPages);
  server.decorate('missingPages', missingPages);
  refuseOtherMethods(server);
  application.get(WebhookGate).install(server);
  const connections = application.get(ConnectionRoom);
  connections.install(server.server);
  // What strangers ask for holds no connection: a body that never ends, or an answer that is not read.
  server.addHook('preHandler', async ({ principal, routeOptions, raw }, reply) => {
    await Promise.resolve();
    if (principal !== undefined || routeOptions.config.opensSocket === true) connections.hold(raw, reply.raw);
  });
  const { note } = application.get(LoopActivities);
  server.addHook('preHandler', async ({ method, routeOptions }) => {
    await Promise.resolve();
    note(`${method} ${routeOptions.url ?? 'unknown path'}`);
  });
  refuseCodedBodies(server);
  installBodyParser(server);
  refuseUnmetPreconditions(server);
  application.get(RequestForwarding).install(server);
  boundQueries(server, graphqlPath);
  application.get(SubscriptionServer).install(server);
  server.addHook('onSend', async (request, reply, payload) => {
    await Promise.resolve();
    setSecureHeaders(reply, { isEncrypted: request.protocol === 'https' });
    const bounded = boundedAnswer(reply, payload);
    cutOffStalled(reply, bounded);
    return bounded;
  });
}

/**
 * Before a body is read: what Fastify thinks of the body of another method says nothing to the caller. To be called before
 * routes are added. It knows the API as it is described, and every other path that stands for itself alone, as `/healthz`
 * and `/graphql`; what is asked for is looked up as it is, since the router would read it as a pattern.
 */
function refuseOtherMethods(server: FastifyInstance): void {
  const routes = new Map<string, Set<string>>();
  server.addHook('onRoute', ({ url, method }) => {
    routes.set(url, new Set([...(routes.get(url) ?? []), ...[method].flat()]));
  });
  server.addHook('onRequest', async (request, reply) => {
    await Promise.resolve();
    if (!request.is404) return undefined;
    const described = allowedMethods(request.url);
    const [path = ''] = request.url.split('?');
    const allowed = described.length > 0 ? described : [...(routes.get(path) ?? [])].toSorted();
    if (allowed.length === 0) return server.missingPages.send(request, reply, httpProblem(404));
    const detail = `this path takes ${allowed.join(', ')}`;
    return sendProblem(reply.header('allow', allowed.join(', ')), {
      status: 405,
      code: 'MethodNotAllowed',
      detail,
    });
  });
}

/** What is counted while an answer is made bounds its large values; this bounds the sum of the small ones. */
function boundedAnswer(reply: FastifyReply, payload: unknown): unknown {
  if (typeof payload !== 'string' || Buffer.byteLength(payload) <= maximumAnswerBytes) return payload;
  const problem = {
    status: 400,
    code: 'AnswerTooLarge',
    detail: `an answer holds ${maximumAnswerBytes} bytes`,
  };
  void reply.code(problem.status).type('application/problem+json').removeHeader('content-length');
  return JSON.stringify(problemDocument(problem));
}

const badRequest = { status: 400, code: 'BadRequest', detail: 'the request cannot be read' };

/** One parser for all: bytes where the route wants them, JSON elsewhere, and nothing else. */
function installBodyParser(server: FastifyInstance): void {
  server.addHook('onRoute', (route: RouteOptions) => {
    const bytes = route.config?.rawBodyBytes;
    if (bytes !== undefined) route.bodyLimit = bytes;
    // What fails before Nest has the request meets no filter of Nest's; GraphQL has a handler of its own.
    if (route.url === graphqlPath) return;
    route.errorHandler ??= (error, { server: { problems } }, reply) =>
      void sendProblem(reply, problems.problemOf(error));
  });
  server.removeAllContentTypeParsers();
  const parseJson = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request: FastifyRequest, body: Buffer, done) => {
    if (request.routeOptions.config.rawBodyBytes !== undefined) done(null, body);
    // Many clients say what the body would be where there is none.
    else if (body.length === 0 && request.url.startsWith(`${apiPrefix}/`)) done(null, undefined);
    else if (isJson(request)) void parseJson(request, body.toString('utf8'), done);
    else done(unsupportedMediaType());
  });
}

function isJson({ headers }: FastifyRequest): boolean {
  return /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');
}

function unsupportedMediaType(): FastifyError {
  return Object.assign(new Error('the body must be application/json'), {
    name: 'FastifyError',
    code: 'UnsupportedMediaType',
    statusCode: 415,
  });
}
