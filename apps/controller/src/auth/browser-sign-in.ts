import type { FastifyRequest } from 'fastify';
import type { JWTPayload } from 'jose';
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  ResponseBodyError,
} from 'openid-client';
import type { OidcProvider, OidcSettings } from './oidc-provider.ts';
import { hasRole, type Principal } from './principal.ts';
import {
  changesNothing,
  cookieOf,
  type CookieTerms,
  cookieText,
  type SealedCookies,
  sessionName,
  type SessionResult,
} from './sessions.ts';

/** So long a person may take at the provider. */
const signInSeconds = 600;

export interface BrowserSignInOptions {
  readonly provider: OidcProvider;
  readonly settings: OidcSettings & { readonly redirectUrl: string };
  readonly cookies: SealedCookies;
}

/**
 * People with browsers: the code flow with PKCE, and then a session in a cookie that scripts cannot read, that other
 * sites' requests do not carry, and with which nothing is changed but from our own pages.
 */
export class BrowserSignIn {
  readonly #options: BrowserSignInOptions;
  readonly #origin: string;
  readonly #isSecure: boolean;

  constructor(options: BrowserSignInOptions) {
    this.#options = options;
    const { origin, protocol } = new URL(options.settings.redirectUrl);
    this.#origin = origin;
    this.#isSecure = protocol === 'https:';
  }

  /** Where to send the browser, and what it is to bring back. @throws Error where the provider is away */
  async begin(): Promise<{ readonly location: string; readonly cookie: string }> {
    const { provider, settings, cookies } = this.#options;
    const client = await provider.client();
    const [verifier, state, nonce] = [randomPKCECodeVerifier(), randomState(), randomNonce()];
    const location = buildAuthorizationUrl(client, {
      redirect_uri: settings.redirectUrl,
      scope: settings.scopes.join(' '),
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    const sealed = await cookies.seal('sign-in', { verifier, state, nonce }, signInSeconds);
    // Lax: the browser comes back from another site.
    const cookie = this.#cookie(this.#signInName, sealed ?? '', { seconds: signInSeconds, sameSite: 'Lax' });
    return { location: location.href, cookie };
  }

  /** The session's cookies of a browser that comes back; undefined: it is not to be let in; or nobody can tell. */
  async finish({
    url,
    headers,
  }: Pick<FastifyRequest, 'url' | 'headers'>): Promise<readonly string[] | 'ProviderAway' | undefined> {
    const { settings } = this.#options;
    const begun = await this.#options.cookies.open(
      'sign-in',
      cookieOf(headers.cookie, this.#signInName) ?? '',
    );
    if (begun === undefined) return undefined;
    const claims = await this.#claimsOf(url, begun);
    if (claims === 'ProviderAway') return claims;
    if (claims === undefined || this.#viewerOf(claims) === undefined) return undefined;
    const seconds = settings.sessionHours * 3_600;
    const sealed = await this.#options.cookies.seal('session', this.#keptClaims(claims), seconds);
    if (sealed === null) return undefined;
    return [
      this.#cookie(this.#sessionName, sealed, { seconds, sameSite: 'Strict' }),
      this.#cookie(this.#signInName, '', { seconds: 0, sameSite: 'Lax' }),
    ];
  }

  /** The caller of a session; undefined: the request has none that is valid. */
  async authenticate(
    request: Pick<FastifyRequest, 'method' | 'headers'>,
  ): Promise<SessionResult | undefined> {
    const { headers } = request;
    const sealed = cookieOf(headers.cookie, this.#sessionName);
    if (sealed === undefined) return undefined;
    const claims = await this.#options.cookies.open('session', sealed);
    if (claims === undefined) return undefined;
    if (!changesNothing(request) && headers.origin !== this.#origin) return { kind: 'CrossOrigin' };
    const principal = this.#viewerOf(claims);
    return principal === undefined ? undefined : { kind: 'Known', principal };
  }

  /** Undefined: whoever it is may do nothing here. */
  #viewerOf(claims: JWTPayload): Principal | undefined {
    const principal = this.#options.provider.principalOf(claims);
    return principal !== undefined && hasRole(principal, 'viewer') ? principal : undefined;
  }

  async #claimsOf(url: string, begun: JWTPayload): Promise<JWTPayload | 'ProviderAway' | undefined> {
    const { provider, settings } = this.#options;
    const current = new URL(settings.redirectUrl);
    current.search = new URL(url, this.#origin).search;
    const client = await provider.client().catch(() => undefined);
    if (client === undefined) return 'ProviderAway';
    try {
      const answer = await authorizationCodeGrant(client, current, {
        pkceCodeVerifier: String(begun['verifier']),
        expectedState: String(begun['state']),
        expectedNonce: String(begun['nonce']),
        idTokenExpected: true,
      });
      return answer.claims();
    } catch (error) {
      return hasNoAnswer(error) ? 'ProviderAway' : undefined;
    }
  }

  /** Only the groups that mean something here: what they allow is looked up for each request. */
  #keptClaims(claims: JWTPayload): JWTPayload {
    const { usernameClaim, groupsClaim, forgeLoginClaim, grants } = this.#options.settings;
    const given = claims[groupsClaim];
    const groups: readonly unknown[] = Array.isArray(given) ? given : [];
    const known = new Set(grants.map(({ group }) => group));
    return {
      sub: claims.sub ?? '',
      email: claims['email'],
      email_verified: claims['email_verified'],
      [usernameClaim]: claims[usernameClaim],
      ...(forgeLoginClaim === undefined ? {} : { [forgeLoginClaim]: claims[forgeLoginClaim] }),
      [groupsClaim]: groups.filter((group) => typeof group === 'string' && known.has(group)),
    };
  }

  get #sessionName(): string {
    return sessionName(this.#isSecure);
  }

  get #signInName(): string {
    return this.#isSecure ? '__Host-plimsoll-sign-in' : 'plimsoll-sign-in';
  }

  #cookie(name: string, value: string, terms: Omit<CookieTerms, 'isSecure'>): string {
    return cookieText(name, value, { ...terms, isSecure: this.#isSecure });
  }
}

/** Whether the provider did not answer, or only that it failed; what it says of the sign-in is an answer. */
function hasNoAnswer(error: unknown): boolean {
  if (error instanceof ResponseBodyError) return error.status >= 500;
  if (!(error instanceof ClientError)) return error instanceof TypeError;
  return error.code === 'OAUTH_TIMEOUT' || (error.cause instanceof Response && error.cause.status >= 500);
}
