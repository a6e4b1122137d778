import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressGroup } from '../../http/address-group.ts';
import { type Problem, sendProblem } from '../../http/problem.ts';
import { ProblemError } from '../../http/problem-error.ts';
import { type FoundCaller, ownerOf, type Principal } from '../callers/principal.ts';
import { isExempt, isPublic } from '../callers/public-routes.ts';
import {
  callerLeft,
  crossOrigin,
  severalHosts,
  starting,
  tooManyFailures,
  tooManyOfAddress,
  tooManyOfCaller,
  tooManyRequests,
  unauthenticated,
  unknownHost,
} from '../callers/refusal-problems.ts';
import type { TokenBearer } from '../identities/kubernetes-authenticator.ts';
import { bringsCredential, type SessionResult } from '../identities/sessions.ts';
import { holdPlace } from '../limits/held-places.ts';
import type { RequestLimits } from '../limits/request-limits.ts';
import type { RequestRates } from '../limits/request-rates.ts';
import { letInAs } from './caller-again.ts';
import type { CallerAuthenticator } from './caller-authenticator.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every request that passed the gate, except those of public routes. */
    principal?: Principal;
  }
  interface FastifyContextConfig {
    /** The route answers under every Host: a kubelet asks by the pod's address. Only for what shows nothing secret. */
    isForEveryHost?: boolean;
    /** The route opens a WebSocket, whose first message may say whose it is; see {@link RequestGate.identify}. */
    opensSocket?: boolean;
  }
}

/** Sessions of one way to sign in; undefined: a request has none of them. */
export interface Sessions {
  readonly authenticate: (
    request: Pick<FastifyRequest, 'method' | 'headers'>,
  ) => Promise<SessionResult | undefined>;
}

/** What the gate knows. */
export interface RequestGateOptions {
  readonly authenticator: Pick<CallerAuthenticator, 'authenticate'>;
  /** Of browsers, by the ways to sign in; none: sessions are not known. */
  readonly sessions?: readonly Sessions[];
  /** Host names answered beside loopback's. */
  readonly hosts: readonly string[];
  readonly limits: RequestLimits;
  readonly rates: Pick<RequestRates, 'admits'>;
  /** Hears of every caller that is let in. */
  readonly onUse?: (principal: Principal) => void;
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Stands before every route, GraphQL's own and unknown paths included, which no Nest guard meets: an unknown Host header
 * is refused (a page in a browser must not reach a loopback server through a name of its own), and every route that is
 * not public wants a bearer token.
 */
export class RequestGate {
  readonly #authenticator: RequestGateOptions['authenticator'];
  readonly #sessions: readonly Sessions[];
  readonly #hosts: ReadonlySet<string>;
  readonly #limits: RequestLimits;
  readonly #rates: RequestGateOptions['rates'];
  readonly #onUse: (principal: Principal) => void;
  #isOpen = false;
  #anonymousRequests = 0;

  constructor({
    authenticator,
    sessions = [],
    hosts,
    limits,
    rates,
    onUse = () => undefined,
  }: RequestGateOptions) {
    this.#authenticator = authenticator;
    this.#sessions = sessions;
    this.#limits = limits;
    this.#rates = rates;
    this.#onUse = onUse;
    this.#hosts = new Set([...loopbackNames, ...hosts.map((host) => host.toLowerCase())]);
  }

  /**
   * How many requests since the start wanted a caller and brought nothing that could name one: each was refused, and is no
   * failure of an authentication.
   */
  get anonymousRequests(): number {
    return this.#anonymousRequests;
  }

  /** Whether more than probes is answered. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The start has read what tokens are checked by: more than probes are answered from now on. */
  open(): void {
    this.#isOpen = true;
  }

  install(server: FastifyInstance): void {
    server.addHook('onRequest', async (request, reply) => this.check(request, reply));
  }

  /** Refuses the request, or notes whose it is. Who fails often waits for the refusal; who has a valid token never. */
  async check(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const problem = this.#refusalOf(request);
    if (problem !== null) return sendProblem(reply, problem);
    if (isPublic(request)) return undefined;
    const isSocket = opensSocket(request);
    const principal = await this.#askedCallerOf(request);
    if (principal instanceof ProblemError) return sendProblem(reply, principal.problem);
    if (principal === 'CrossOrigin') return sendProblem(reply, crossOrigin);
    if (principal !== undefined) return this.#letIn(principal, { request, reply, isSocket });
    if (isSocket && request.headers.authorization === undefined) return undefined;
    if (!bringsCredential(request.headers)) {
      this.#anonymousRequests += 1;
      return sendProblem(reply, unauthenticated);
    }
    const treatment = await this.#limits.fail(addressGroup(request.ip));
    return sendProblem(reply, treatment === 'TurnedAway' ? tooManyFailures : unauthenticated);
  }

  /** What is refused whoever asks; null: it is not. */
  #refusalOf(request: FastifyRequest): Problem | null {
    const { isForEveryHost } = configurationOf(request);
    if (isForEveryHost !== true) {
      if (hasSeveralHosts(request)) return severalHosts;
      if (!this.#hosts.has(hostName(request))) return unknownHost;
      if (!this.#isOpen) return starting;
    }
    return isExempt(request) || this.#rates.admits('Address', addressGroup(request.ip))
      ? null
      : tooManyOfAddress;
  }

  /** A WebSocket is no request that is under way: it counts by limits of its own. */
  #letIn(principal: Principal, { request, reply, isSocket }: Admitted): FastifyReply | undefined {
    if (!this.#rates.admits('Caller', ownerOf(principal))) return sendProblem(reply, tooManyOfCaller);
    if (!isSocket) {
      // Who left while it was asked who it is: nothing would tell any more that its place is free.
      if (reply.raw.closed) return sendProblem(reply, callerLeft);
      const giveBack = this.#limits.take(ownerOf(principal));
      if (giveBack === undefined) return sendProblem(reply, tooManyRequests);
      reply.raw.once('close', holdPlace(request, giveBack));
    }
    this.#onUse(principal);
    const { method, headers } = request;
    request.principal = letInAs(principal, () => this.callerOf({ method, headers }));
    return undefined;
  }

  /**
   * The caller of a token that came after its connection; undefined: none. Who fails often waits for the answer.
   *
   * @throws ProblemError where it is not known now
   */
  async identify(request: Pick<FastifyRequest, 'method' | 'headers' | 'ip'>): Promise<Principal | undefined> {
    const principal = await this.#askedCallerOf(request);
    if (principal instanceof ProblemError) throw principal;
    if (principal === undefined && !bringsCredential(request.headers)) {
      this.#anonymousRequests += 1;
      return undefined;
    }
    if (principal === undefined || principal === 'CrossOrigin') {
      await this.#limits.fail(addressGroup(request.ip));
      return undefined;
    }
    this.#onUse(principal);
    return principal;
  }

  /** The problem where nobody was asked: it is no failure that counts against the address. */
  async #askedCallerOf(
    request: Pick<FastifyRequest, 'method' | 'headers' | 'ip'>,
  ): Promise<FoundCaller | ProblemError> {
    try {
      return await this.callerOf(request, this.#limits.bearerAt(addressGroup(request.ip)));
    } catch (error) {
      if (error instanceof ProblemError) return error;
      throw error;
    }
  }

  /**
   * A bearer token counts before a cookie: a page of another site can send none.
   *
   * @throws ProblemError where it is not known now
   */
  async callerOf(
    request: Pick<FastifyRequest, 'method' | 'headers'>,
    bearer?: TokenBearer,
  ): Promise<FoundCaller> {
    const { authorization } = request.headers;
    if (authorization !== undefined) return this.#authenticator.authenticate(authorization, bearer);
    for (const sessions of this.#sessions) {
      const session = await sessions.authenticate(request);
      if (session !== undefined) return session.kind === 'Known' ? session.principal : session.kind;
    }
    return undefined;
  }
}

/** What the router refuses has no route, and then no configuration. */
function configurationOf(request: FastifyRequest): FastifyContextConfig {
  const { config } = request.routeOptions as { readonly config?: FastifyContextConfig };
  return config ?? {};
}

interface Admitted {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly isSocket: boolean;
}

/** Whether a request asks for a WebSocket where there is one. */
function opensSocket(request: FastifyRequest): boolean {
  return (
    configurationOf(request).opensSocket === true && request.headers.upgrade?.toLowerCase() === 'websocket'
  );
}

/** Node takes the first, and what stands before us may have taken the last (RFC 9112, 3.2). */
function hasSeveralHosts({ raw }: FastifyRequest): boolean {
  return raw.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length > 1;
}

/** What a client of a proxy asks for as a whole URL is for the host that stands there, whatever the header says. */
const absoluteForm = /^https?:\/\/([^/?#]*)/i;

function hostName({ url, headers }: FastifyRequest): string {
  const named = absoluteForm.exec(url)?.[1] ?? headers.host ?? '';
  return named.toLowerCase().replace(/:[0-9]+$/, '');
}
