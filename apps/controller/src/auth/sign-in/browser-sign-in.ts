import type { FastifyRequest } from 'fastify';
import type { JWTPayload } from 'jose';
import {
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
  type Configuration as ClientConfiguration,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  ResponseBodyError,
} from 'openid-client';
import { messageOf } from '#kernel';
import { hasRole, type Principal } from '../callers/principal.ts';
import type { OidcProvider, OidcSettings } from '../identities/oidc-provider.ts';
import {
  changesNothing,
  cookieOf,
  type CookieTerms,
  cookieText,
  type SealedCookies,
  sessionName,
  type SessionResult,
} from '../identities/sessions.ts';

/** So long a person may take at the provider. */
const signInSeconds = 600;

export interface BrowserSignInOptions {
  readonly provider: OidcProvider;
  readonly settings: OidcSettings & { readonly redirectUrl: string };
  readonly cookies: SealedCookies;
  /** Hears of who is not let in; of a sign-in that was not begun here, which a stranger makes up, not. */
  readonly onRefused: (refusal: SignInRefusal) => void;
}

/** Why a browser is not let in: what happens next differs by its code. */
export type SignInRefusal =
  /** It took too long, was begun again in another tab, or never. */
  | { readonly code: 'SignInEnded' }
  /** The provider refuses the person, or this controller as its client. */
  | { readonly code: 'SignInRefused'; readonly reason: string; readonly description?: string }
  /** The provider vouches for the caller, whose groups have no role. */
  | { readonly code: 'NoRole'; readonly caller: string | null; readonly groups: readonly string[] }
  /** It does not answer, or what it is asked with cannot be read. */
  | { readonly code: 'ProviderAway'; readonly reason: string };

/** The cookies of a session, or why there is none. */
export type SignInResult = { readonly code: 'SignedIn'; readonly cookies: readonly string[] } | SignInRefusal;

/** Of the groups of one who is not let in, so many are told. */
const toldGroups = 20;

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

  /** Where to send the browser, and what it is to bring back; null: the provider is away. */
  async begin(): Promise<{ readonly location: string; readonly cookie: string } | null> {
    const { settings, cookies } = this.#options;
    const client = await this.#client();
    if ('code' in client) {
      this.#options.onRefused(client);
      return null;
    }
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

  /** Lets a browser in that comes back, or says why not. */
  async finish(request: Pick<FastifyRequest, 'url' | 'headers'>): Promise<SignInResult> {
    const result = await this.#resultOf(request);
    if (result.code !== 'SignedIn' && result.code !== 'SignInEnded') this.#options.onRefused(result);
    return result;
  }

  async #resultOf({ url, headers }: Pick<FastifyRequest, 'url' | 'headers'>): Promise<SignInResult> {
    const { settings, cookies } = this.#options;
    const begun = await cookies.open('sign-in', cookieOf(headers.cookie, this.#signInName) ?? '');
    const { searchParams } = new URL(url, this.#origin);
    if (begun === undefined || searchParams.get('state') !== begun['state']) return { code: 'SignInEnded' };
    const claims = await this.#claimsOf(searchParams, begun);
    if ('code' in claims) return claims;
    if (this.#viewerOf(claims.of) === undefined) return this.#withoutRole(claims.of);
    const seconds = settings.sessionHours * 3_600;
    const sealed = await cookies.seal('session', this.#keptClaims(claims.of), seconds);
    if (sealed === null) return { code: 'SignInRefused', reason: 'its claims are too long for a session' };
    return {
      code: 'SignedIn',
      cookies: [
        this.#cookie(this.#sessionName, sealed, { seconds, sameSite: 'Strict' }),
        this.#cookie(this.#signInName, '', { seconds: 0, sameSite: 'Lax' }),
      ],
    };
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

  #withoutRole(claims: JWTPayload): SignInRefusal {
    const caller = this.#options.provider.principalOf(claims)?.name ?? null;
    return { code: 'NoRole', caller, groups: this.#groupsOf(claims).slice(0, toldGroups) };
  }

  /** What asks the provider, with the secret that the client has now. */
  async #client(): Promise<ClientConfiguration | Extract<SignInRefusal, { readonly code: 'ProviderAway' }>> {
    try {
      return await this.#options.provider.client();
    } catch (error) {
      return { code: 'ProviderAway', reason: messageOf(error) };
    }
  }

  async #claimsOf(
    answered: URLSearchParams,
    begun: JWTPayload,
  ): Promise<{ readonly of: JWTPayload } | SignInRefusal> {
    const current = new URL(this.#options.settings.redirectUrl);
    current.search = answered.toString();
    const client = await this.#client();
    if ('code' in client) return client;
    try {
      const answer = await authorizationCodeGrant(client, current, {
        pkceCodeVerifier: String(begun['verifier']),
        expectedState: String(begun['state']),
        expectedNonce: String(begun['nonce']),
        idTokenExpected: true,
      });
      const claims = answer.claims();
      return claims === undefined ? { code: 'SignInRefused', reason: 'no ID token' } : { of: claims };
    } catch (error) {
      return refusalOf(error);
    }
  }

  #groupsOf(claims: JWTPayload): readonly string[] {
    const given = claims[this.#options.settings.groupsClaim];
    return Array.isArray(given) ? given.filter((group) => typeof group === 'string') : [];
  }

  /** Only the groups that mean something here: what they allow is looked up for each request. */
  #keptClaims(claims: JWTPayload): JWTPayload {
    const { usernameClaim, groupsClaim, forgeLoginClaim, grants } = this.#options.settings;
    const known = new Set(grants.map(({ group }) => group));
    return {
      sub: claims.sub ?? '',
      email: claims['email'],
      email_verified: claims['email_verified'],
      [usernameClaim]: claims[usernameClaim],
      ...(forgeLoginClaim === undefined ? {} : { [forgeLoginClaim]: claims[forgeLoginClaim] }),
      [groupsClaim]: this.#groupsOf(claims).filter((group) => known.has(group)),
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

/** What a browser may bring as the provider's word: of RFC 6749 (4.1.2.1) and OpenID Connect Core (3.1.2.6). */
const errorWords = new Set([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'invalid_request',
  'invalid_scope',
  'login_required',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_response_type',
]);

function refusalOf(error: unknown): SignInRefusal {
  if (hasNoAnswer(error)) return { code: 'ProviderAway', reason: messageOf(error) };
  const code = 'SignInRefused';
  if (error instanceof AuthorizationResponseError)
    return { code, reason: errorWords.has(error.error) ? error.error : 'an error without a known word' };
  if (!(error instanceof ResponseBodyError)) return { code, reason: messageOf(error) };
  const { error: reason, error_description: description } = error;
  return { code, reason, ...(description === undefined ? {} : { description }) };
}
