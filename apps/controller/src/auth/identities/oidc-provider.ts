import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch as keysFetch,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyGetKey,
} from 'jose';
import {
  allowInsecureRequests,
  ClientSecretPost,
  clockTolerance,
  Configuration as ClientConfiguration,
  customFetch,
  discovery,
  None,
  type ServerMetadata,
} from 'openid-client';
import type { Configuration } from '#configuration';
import { readTextFile } from '#files';
import { ProblemError } from '../../http/problem-error.ts';
import { externalName, type Grant, type Principal } from '../callers/principal.ts';
import { unanswered } from '../callers/refusal-problems.ts';
import { fetchBounded } from './fetch-bounded.ts';

/** What of the configuration concerns OpenID Connect. */
export type OidcSettings = NonNullable<Configuration['auth']['oidc']>;

/** Of one request to the provider. */
const timeoutSeconds = 5;

/** A provider that was not reached, or had no keys, is asked for them again after so long, whoever calls meanwhile. */
const retryMilliseconds = 5_000;

/** A key that is not known has the keys read again, this often at most: a stranger names any. */
const keyCooldownMilliseconds = 30_000;

/** What the provider says of itself, and its keys, are read again after so long. */
const lifetimeMilliseconds = 600_000;

/** For tests. */
export interface OidcTiming {
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
  readonly keyCooldownMilliseconds?: number;
}

interface Discovered {
  readonly server: ServerMetadata;
  readonly keysUrl: string;
  readonly keys: JWTVerifyGetKey;
}

/**
 * An OpenID provider: what it says of itself is read when it is first needed, so that one that is away keeps no process
 * from starting, and again now and then; its keys are read again as they are rotated.
 */
export class OidcProvider {
  readonly #settings: OidcSettings;
  readonly #now: () => number;
  readonly #keyCooldownMilliseconds: number;
  #discovered: Discovered | undefined;
  #asking: Promise<Discovered> | undefined;
  /** Since when it is asked, or was last, what it says of itself. */
  #askedAt = -Infinity;
  #failedAt: number | undefined;
  #keysFailedAt: number | undefined;

  constructor(settings: OidcSettings, timing: OidcTiming = {}) {
    this.#settings = settings;
    this.#now = timing.now ?? (() => performance.now());
    this.#keyCooldownMilliseconds = timing.keyCooldownMilliseconds ?? keyCooldownMilliseconds;
  }

  get issuer(): string {
    return this.#settings.issuer;
  }

  /**
   * What asks the provider, with the secret that the client has now.
   *
   * @throws Error where the provider cannot be reached, or is not the one that the configuration names; or the secret be read
   */
  async client(): Promise<ClientConfiguration> {
    const { server } = await this.#discover();
    const { issuer, clientId, clientSecretFile, clockSkewSeconds } = this.#settings;
    const authentication =
      clientSecretFile === undefined
        ? None()
        : ClientSecretPost((await readTextFile(clientSecretFile)).trim());
    const metadata = { [clockTolerance]: clockSkewSeconds };
    const client = new ClientConfiguration(server, clientId, metadata, authentication);
    client.timeout = timeoutSeconds;
    client[customFetch] = fetchBounded;
    for (const allow of allowances(issuer)) allow(client);
    return client;
  }

  /**
   * The caller that a JWT of the provider is about; undefined: it is not to be believed.
   *
   * @throws ProblemError `Unavailable` where the provider's keys cannot be read
   */
  async authenticate(token: string): Promise<Principal | undefined> {
    const { issuer, algorithms, clockSkewSeconds } = this.#settings;
    const { keys } = await this.#discover().catch(() => {
      throw new ProblemError(unanswered);
    });
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience: audiencesOf(this.#settings),
        algorithms: [...algorithms],
        clockTolerance: clockSkewSeconds,
        requiredClaims: ['exp', 'sub'],
      });
      return this.principalOf(payload);
    } catch (error) {
      if (error instanceof ProblemError) throw error;
      return undefined;
    }
  }

  /** Who the claims are about, and what the groups among them may do; undefined: they name nobody. */
  principalOf(claims: JWTPayload): Principal | undefined {
    const { usernameClaim, groupsClaim, forgeLoginClaim, grants } = this.#settings;
    // An address that the provider has not verified is whatever its owner wrote.
    const email = claims['email_verified'] === true ? textOf(claims['email']) : undefined;
    const username = usernameClaim === 'email' ? email : textOf(claims[usernameClaim]);
    const user = username ?? subjectOf(claims);
    if (user === undefined) return undefined;
    const groups = groupsOf(claims[groupsClaim]);
    const forgeLogin = forgeLoginClaim === undefined ? undefined : textOf(claims[forgeLoginClaim]);
    return {
      name: externalName('oidc', user),
      grants: grants.filter(({ group }) => groups.has(group)).map(toGrant),
      ...(email === undefined ? {} : { email }),
      ...(forgeLogin === undefined ? {} : { forgeLogin }),
    };
  }

  /** What it said last counts while it is asked anew, and where it is away then. */
  async #discover(): Promise<Discovered> {
    const known = this.#discovered;
    if (known === undefined) return this.#askAnew();
    const lifetime = this.#keysFailedAt === undefined ? lifetimeMilliseconds : retryMilliseconds;
    if (this.#now() - this.#askedAt >= lifetime) this.#askAnew().catch(() => undefined);
    return known;
  }

  /** One question at a time, and none for a while after one that failed. */
  #askAnew(): Promise<Discovered> {
    if (this.#isRecent(this.#failedAt))
      return Promise.reject(new Error('the OpenID provider could not be reached a moment ago'));
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #ask(): Promise<Discovered> {
    this.#askedAt = this.#now();
    try {
      const server = await this.#describe();
      this.#discovered = { server, ...this.#keysOf(server) };
      this.#failedAt = undefined;
      return this.#discovered;
    } catch (error) {
      this.#failedAt = this.#now();
      throw error;
    }
  }

  async #describe(): Promise<ServerMetadata> {
    const { issuer, clientId } = this.#settings;
    const client = await discovery(new URL(issuer), clientId, {}, None(), {
      timeout: timeoutSeconds,
      [customFetch]: fetchBounded,
      execute: allowances(issuer),
    });
    return client.serverMetadata();
  }

  /** Keys that are read from where they were stay known while the provider does not answer. */
  #keysOf({ issuer, jwks_uri: keysUrl }: ServerMetadata): Pick<Discovered, 'keysUrl' | 'keys'> {
    if (keysUrl === undefined) throw new Error(`${issuer} names no keys`);
    if (keysUrl === this.#discovered?.keysUrl) return { keysUrl, keys: this.#discovered.keys };
    const isPlain = new URL(keysUrl).protocol !== 'https:';
    if (isPlain && !issuer.startsWith('http:'))
      throw new Error(`${issuer} names keys that are not at https://`);
    const remoteKeys = createRemoteJWKSet(new URL(keysUrl), {
      timeoutDuration: timeoutSeconds * 1_000,
      cooldownDuration: this.#keyCooldownMilliseconds,
      cacheMaxAge: lifetimeMilliseconds,
      [keysFetch]: (url, options) => this.#fetchKeys(url, options),
    });
    const keys: JWTVerifyGetKey = (header, token) =>
      remoteKeys(header, token).catch((error: unknown) => {
        throw isAboutToken(error) ? error : new ProblemError(unanswered);
      });
    return { keysUrl, keys };
  }

  /** An answer that is no set of keys is a failure, too: else every request of a stranger would ask for it again. */
  async #fetchKeys(...[url, options]: Parameters<typeof fetchBounded>): Promise<Response> {
    if (this.#isRecent(this.#keysFailedAt))
      throw new Error('the keys of the OpenID provider could not be read a moment ago');
    try {
      const answer = await fetchBounded(url, options);
      if (!answer.ok) throw new Error(`the keys of the OpenID provider: status ${answer.status}`);
      createLocalJWKSet((await answer.clone().json()) as JSONWebKeySet);
      this.#keysFailedAt = undefined;
      return answer;
    } catch (error) {
      this.#keysFailedAt = this.#now();
      throw error;
    }
  }

  #isRecent(failedAt: number | undefined): boolean {
    return failedAt !== undefined && this.#now() - failedAt < retryMilliseconds;
  }
}

/** The configuration allows http:// on loopback alone. */
function allowances(issuer: string): ((client: ClientConfiguration) => void)[] {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated to be seen, not to go
  return issuer.startsWith('http:') ? [allowInsecureRequests] : [];
}

/** Whether the keys could be read, and it is the token's fault that none of them is its own. */
function isAboutToken(error: unknown): error is Error {
  if (!(error instanceof errors.JOSEError)) return false;
  const isAboutKeys = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid;
  // What else is wrong with the answer of the keys' address has no class of its own.
  return !isAboutKeys && error.code !== errors.JOSEError.code;
}

/** What the command line signs in with is for its own client. */
function audiencesOf({ audiences, clientId, cliClientId }: OidcSettings): string[] {
  return [...(audiences ?? [clientId]), ...(cliClientId === undefined ? [] : [cliClientId])];
}

function toGrant({ role, namespaces }: OidcSettings['grants'][number]): Grant {
  return { role, namespaces };
}

/**
 * As the specification has it. All whom a provider gave no subject would be one person.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#IDToken
 */
const maximumSubjectCharacters = 255;

function subjectOf({ sub = '' }: JWTPayload): string | undefined {
  return sub.trim() === '' || sub.length > maximumSubjectCharacters ? undefined : sub;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^[!-~]{1,256}$/.test(value) ? value : undefined;
}

function groupsOf(value: unknown): ReadonlySet<string> {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return new Set(list.filter((group): group is string => typeof group === 'string'));
}
