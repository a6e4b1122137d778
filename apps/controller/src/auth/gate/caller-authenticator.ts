import { hasRole, type Principal } from '../callers/principal.ts';
import type { KubernetesAuthenticator, TokenBearer } from '../identities/kubernetes-authenticator.ts';
import type { OidcProvider } from '../identities/oidc-provider.ts';
import { bearerTokenOf, isRandomToken, type TokenAuthenticator } from '../identities/token-authenticator.ts';
import type { TokenRegistry } from '../identities/token-registry.ts';

/** Header, payload and signature. */
const jwtForm = /^[\w-]+\.([\w-]+)\.[\w-]+$/;

export interface CallerAuthenticatorOptions {
  readonly tokens: Pick<TokenAuthenticator, 'authenticate'>;
  /** Looks for tokens that another process has made. Absent: none is made through the API. */
  readonly registry?: Pick<TokenRegistry, 'lookAnew'> | undefined;
  /** Absent: no OpenID provider is configured. */
  readonly oidc?: Pick<OidcProvider, 'issuer' | 'authenticate'> | undefined;
  /** Absent: tokens of the cluster are not asked about. */
  readonly kubernetes?: Pick<KubernetesAuthenticator, 'authenticate'> | undefined;
}

/**
 * Recognises callers by their bearer tokens: API tokens, then JWTs of the OpenID provider, then tokens of the cluster. A
 * JWT that names the provider as its issuer is sent to none but the provider's keys.
 */
export class CallerAuthenticator {
  readonly #options: CallerAuthenticatorOptions;

  constructor(options: CallerAuthenticatorOptions) {
    this.#options = options;
  }

  /**
   * The caller that an `Authorization` header names; undefined: none, without a reason.
   *
   * @throws ProblemError where it takes the cluster to tell, and that was not asked
   */
  async authenticate(header: string | undefined, bearer?: TokenBearer): Promise<Principal | undefined> {
    const token = bearerTokenOf(header);
    if (token === undefined) return undefined;
    const known = this.#options.tokens.authenticate(token) ?? (await this.#madeElsewhere(token));
    if (known !== undefined) return known;
    const found = await this.#provided(token, bearer);
    // Whoever the provider knows is not therefore somebody here.
    return found !== undefined && hasRole(found, 'viewer') ? found : undefined;
  }

  async #madeElsewhere(token: string): Promise<Principal | undefined> {
    const { tokens, registry } = this.#options;
    if (registry === undefined || !isRandomToken(token)) return undefined;
    await registry.lookAnew();
    return tokens.authenticate(token);
  }

  async #provided(token: string, bearer: TokenBearer | undefined): Promise<Principal | undefined> {
    const payload = jwtForm.exec(token)?.[1];
    if (payload === undefined) return undefined;
    const { oidc, kubernetes } = this.#options;
    return oidc !== undefined && issuerIn(payload) === oidc.issuer
      ? oidc.authenticate(token)
      : kubernetes?.authenticate(token, bearer);
  }
}

/** Not verified: it says whom to ask. */
function issuerIn(payload: string): string | null {
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as {
      readonly iss?: unknown;
    } | null;
    return typeof claims?.iss === 'string' ? claims.iss : null;
  } catch {
    return null;
  }
}
