import { hash, randomBytes } from 'node:crypto';
import type { StoredToken } from '#ledger';
import { grantsWithin, isExternal, type Principal } from '../callers/principal.ts';

/** A token as the configuration holds it: never the token itself. */
export interface TokenRecord extends Principal {
  /** SHA-256 in hex. */
  readonly sha256: string;
}

/** Text that may be a token; JWTs are the longest. */
export const maximumTokenCharacters = 8_192;

/** A new random token (256 bits) and its hash. */
export function randomToken(): { readonly token: string; readonly sha256: string } {
  const token = `plm_${randomBytes(32).toString('base64url')}`;
  return { token, sha256: digestOf(token) };
}

/** Whether a text may be a token that {@link randomToken} has made. */
export function isRandomToken(token: string): boolean {
  return /^plm_[\w-]{43}$/.test(token);
}

/** A new token of a principal, and the record that recognises it. */
export function createToken(principal: Principal): { readonly token: string; readonly record: TokenRecord } {
  const { token, sha256 } = randomToken();
  return { token, record: { ...principal, sha256 } };
}

/** The token of an `Authorization` header, or undefined. */
export function bearerTokenOf(header: string | undefined): string | undefined {
  if (header === undefined || header.length > maximumTokenCharacters + 7) return undefined;
  return /^Bearer ([!-~]+)$/i.exec(header)?.[1];
}

/**
 * Recognises API tokens, the configured and those that were made through the API, by their hashes. What is looked up is
 * the hash of what the caller sent, so the time that it takes reveals nothing of a token.
 */
export class TokenAuthenticator {
  readonly #now: () => string;
  #configured: ReadonlyMap<string, Principal> = new Map();
  #made: readonly StoredToken[] = [];
  #stored: ReadonlyMap<string, Principal> = new Map();

  constructor(records: readonly TokenRecord[], now: () => string = () => new Date().toISOString()) {
    this.#now = now;
    this.replace(records);
  }

  /** Recognises other configured tokens from now on. */
  replace(records: readonly TokenRecord[]): void {
    this.#configured = new Map(records.map(({ sha256, ...principal }) => [sha256, principal]));
    this.replaceStored(this.#made);
  }

  /** Recognises other tokens that were made through the API from now on. */
  replaceStored(tokens: readonly StoredToken[]): void {
    this.#made = tokens;
    const owners = new Map([...this.#configured.values()].map((principal) => [principal.name, principal]));
    const valid = tokens.filter(({ revokedAt }) => revokedAt === null);
    this.#stored = new Map(
      valid.flatMap((token) => {
        const grants = grantsLeft(token, owners);
        return grants.length === 0 ? [] : [[token.sha256, principalOf({ ...token, grants })]];
      }),
    );
  }

  /** The principal of a token, or undefined. */
  authenticate(token: string): Principal | undefined {
    const digest = digestOf(token);
    const found = this.#configured.get(digest) ?? this.#stored.get(digest);
    const isExpired = found?.token !== undefined && found.token.expiresAt <= this.#now();
    return isExpired ? undefined : found;
  }
}

/** A token may do no more than the configuration still lets its owner do; what others may do is their system's to say. */
function grantsLeft(
  { owner, grants }: StoredToken,
  owners: ReadonlyMap<string, Principal>,
): StoredToken['grants'] {
  if (isExternal(owner)) return grants;
  const giver = owners.get(owner);
  return giver === undefined ? [] : grantsWithin(grants, giver);
}

function principalOf({ id, name, owner, grants, email, forgeLogin, expiresAt }: StoredToken): Principal {
  return {
    name,
    owner,
    grants,
    ...(email === null ? {} : { email }),
    ...(forgeLogin === null ? {} : { forgeLogin }),
    token: { id, expiresAt },
  };
}

function digestOf(token: string): string {
  return hash('sha256', token);
}
