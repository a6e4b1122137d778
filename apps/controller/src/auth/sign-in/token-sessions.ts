import type { FastifyRequest } from 'fastify';
import type { CallerAuthenticator } from '../gate/caller-authenticator.ts';
import type { TokenBearer } from '../identities/kubernetes-authenticator.ts';
import {
  changesNothing,
  cookieOf,
  cookieText,
  type SealedCookies,
  sessionName,
  type SessionResult,
} from '../identities/sessions.ts';

export interface TokenSessionsOptions {
  readonly authenticator: Pick<CallerAuthenticator, 'authenticate'>;
  readonly cookies: SealedCookies;
  readonly hours: number;
  /** The server itself speaks TLS, and so do all pages that are ours. */
  readonly isEncrypted: boolean;
}

type BrowserRequest = Pick<FastifyRequest, 'headers' | 'protocol'>;

/**
 * People who sign in to the console with a token: the cookie holds the token, sealed, and each request is authenticated as
 * if it had brought it. So a session ends with its token, and a revocation ends it at once.
 *
 * @see docs/adr/0012-sessions-are-sealed-cookies.md
 */
export class TokenSessions {
  readonly #options: TokenSessionsOptions;

  constructor(options: TokenSessionsOptions) {
    this.#options = options;
  }

  /**
   * The cookie of a new session; undefined: the token is not valid, or longer than a cookie holds.
   *
   * @throws ProblemError where it takes the cluster to tell, and that was not asked
   */
  async begin(token: string, request: BrowserRequest, bearer: TokenBearer): Promise<string | undefined> {
    const { authenticator, cookies, hours } = this.#options;
    if ((await authenticator.authenticate(`Bearer ${token}`, bearer)) === undefined) return undefined;
    const seconds = hours * 3_600;
    const sealed = await cookies.seal('token-session', { token }, seconds);
    if (sealed === null) return undefined;
    const isSecure = this.#options.isEncrypted || cameEncrypted(request);
    return cookieText(sessionName(isSecure), sealed, { seconds, sameSite: 'Strict', isSecure });
  }

  /** The cookies that end a session in the browser, by whichever way it began. */
  end(): readonly string[] {
    return [false, true].map((isSecure) =>
      cookieText(sessionName(isSecure), '', { seconds: 0, sameSite: 'Strict', isSecure }),
    );
  }

  /** The caller of a session, whose token was valid when it began; undefined: the request has none that is valid. */
  async authenticate(
    request: Pick<FastifyRequest, 'method' | 'headers'>,
  ): Promise<SessionResult | undefined> {
    const token = await this.#tokenOf(request.headers.cookie);
    if (token === undefined) return undefined;
    if (!changesNothing(request) && !this.isFromOurPage(request.headers)) return { kind: 'CrossOrigin' };
    const principal = await this.#options.authenticator.authenticate(`Bearer ${token}`);
    return principal === undefined ? undefined : { kind: 'Known', principal };
  }

  /**
   * Whether a request comes from a page of the host that it asks: which hosts are ours, the request gate has checked. Where we
   * speak TLS, whoever is on the way to the browser can make pages of that host without it.
   */
  isFromOurPage({ origin, host }: FastifyRequest['headers']): boolean {
    if (origin === undefined || !URL.canParse(origin)) return false;
    const page = new URL(origin);
    return page.host === host?.toLowerCase() && (!this.#options.isEncrypted || page.protocol === 'https:');
  }

  /** Where we speak TLS, a cookie without the prefix is none of ours: other hosts of the domain can set it. */
  async #tokenOf(header: string | undefined): Promise<string | undefined> {
    const names = this.#options.isEncrypted ? [sessionName(true)] : [sessionName(true), sessionName(false)];
    const sealed = names.map((name) => cookieOf(header, name)).find((value) => value !== undefined);
    if (sealed === undefined) return undefined;
    const token = (await this.#options.cookies.open('token-session', sealed))?.['token'];
    return typeof token === 'string' ? token : undefined;
  }
}

/** A proxy that ends TLS need not be a trusted one: the browser itself says how it reached the page. */
function cameEncrypted({ protocol, headers }: BrowserRequest): boolean {
  return protocol === 'https' || headers.origin?.startsWith('https://') === true;
}
