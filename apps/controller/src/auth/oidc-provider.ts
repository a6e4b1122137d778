import { readFile } from 'node:fs/promises';
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyGetKey,
} from 'jose';
import {
  allowInsecureRequests,
  ClientSecretPost,
  type Configuration as ClientConfiguration,
  discovery,
  None,
} from 'openid-client';
import type { Configuration } from '#configuration';
import { ProblemError } from '../http/problem-error.ts';
import { externalName, type Grant, type Principal } from './principal.ts';
import { unanswered } from './refusal-problems.ts';

/** What of the configuration concerns OpenID Connect. */
export type OidcSettings = NonNullable<Configuration['auth']['oidc']>;

/** Of one request to the provider. */
const timeoutSeconds = 5;

/** A provider that was not reached, or had no keys, is asked for them again after so long, whoever calls meanwhile. */
const retryMilliseconds = 5_000;

/** A key that is not known has the keys read again, this often at most: a stranger names any. */
const keyCooldownMilliseconds = 30_000;
const keyLifetimeMilliseconds = 600_000;

const maximumGroups = 1_000;

/** For tests. */
export interface OidcTiming {
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
  readonly keyCooldownMilliseconds?: number;
}

interface Discovered {
  readonly client: ClientConfiguration;
  readonly keys: JWTVerifyGetKey;
}

/**
 * An OpenID provider: what it says of itself is read when it is first needed, so that one that is away keeps no process
 * from starting, and its keys are read again as they are rotated.
 */
export class OidcProvider {
  readonly #settings: OidcSettings;
  readonly #now: () => number;
  readonly #keyCooldownMilliseconds: number;
  #discovered: Promise<Discovered> | undefined;
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

  /** @throws Error where the provider cannot be reached, or is not the one that the configuration names. */
  async client(): Promise<ClientConfiguration> {
    return (await this.#discover()).client;
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

  /** One question at a time, and none for a while after one that failed. */
  #discover(): Promise<Discovered> {
    if (this.#isRecent(this.#failedAt))
      return Promise.reject(new Error('the OpenID provider could not be reached a moment ago'));
    this.#discovered ??= this.#ask().catch((error: unknown) => {
      this.#discovered = undefined;
      this.#failedAt = this.#now();
      throw error;
    });
    return this.#discovered;
  }

  async #ask(): Promise<Discovered> {
    const { issuer, clientId, clientSecretFile } = this.#settings;
    const secret =
      clientSecretFile === undefined ? undefined : (await readFile(clientSecretFile, 'utf8')).trim();
    const client = await discovery(
      new URL(issuer),
      clientId,
      {},
      secret === undefined ? None() : ClientSecretPost(secret),
      {
        timeout: timeoutSeconds,
        // The configuration allows http:// on loopback alone.
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated to be seen, not to go
        execute: issuer.startsWith('http:') ? [allowInsecureRequests] : [],
      },
    );
    const { jwks_uri: keysUrl } = client.serverMetadata();
    if (keysUrl === undefined) throw new Error(`${issuer} names no keys`);
    const remoteKeys = createRemoteJWKSet(new URL(keysUrl), {
      timeoutDuration: timeoutSeconds * 1_000,
      cooldownDuration: this.#keyCooldownMilliseconds,
      cacheMaxAge: keyLifetimeMilliseconds,
      [customFetch]: (url, options) => this.#fetchKeys(url, options),
    });
    this.#failedAt = undefined;
    const keys: JWTVerifyGetKey = (header, token) =>
      remoteKeys(header, token).catch((error: unknown) => {
        throw isAboutToken(error) ? error : new ProblemError(unanswered);
      });
    return { client, keys };
  }

  async #fetchKeys(url: string, options: RequestInit): Promise<Response> {
    if (this.#isRecent(this.#keysFailedAt))
      throw new Error('the keys of the OpenID provider could not be read a moment ago');
    try {
      const answer = await fetch(url, options);
      this.#keysFailedAt = answer.ok ? undefined : this.#now();
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
  const list: readonly unknown[] = Array.isArray(value) ? value.slice(0, maximumGroups) : [];
  return new Set(list.filter((group): group is string => typeof group === 'string'));
}
