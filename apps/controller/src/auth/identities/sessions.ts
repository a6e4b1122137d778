import { hkdfSync, randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { EncryptJWT, jwtDecrypt, type JWTPayload } from 'jose';
import { messageOf } from '#kernel';
import { ProblemError } from '../../http/problem-error.ts';
import type { Principal } from '../callers/principal.ts';
import { noSessions } from '../callers/refusal-problems.ts';

/** Browsers keep 4,096 bytes of a cookie, its name and attributes included. */
const maximumCookieCharacters = 3_800;

/** A secret that is replaced, by which all sessions end, counts after so long at most. */
const secretMilliseconds = 10_000;

export interface SealedCookiesOptions {
  /** Shared by all processes that are to open what one of them sealed; undefined: this process alone. */
  readonly loadSecret: () => Promise<string | undefined>;
  /** Hears once why it cannot be loaded. */
  readonly onUnreadable: (reason: string) => void;
}

/** What a sealed text is for: one cannot stand in for the other. */
export type SealedPurpose = 'session' | 'token-session' | 'sign-in';

/**
 * Seals what a browser keeps for us: encrypted and authenticated, so that it can neither be read nor made elsewhere, and
 * with an end.
 *
 * @see docs/adr/0012-sessions-are-sealed-cookies.md
 */
export class SealedCookies {
  readonly #options: SealedCookiesOptions;
  readonly #now: () => number;
  /** Where no secret is shared. */
  readonly #ownSecret = randomBytes(32);
  #key: Promise<Uint8Array> | undefined;
  #readAt = -Infinity;
  #told = '';

  /** @param now is monotonic, in milliseconds; for tests. */
  constructor(options: SealedCookiesOptions, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#now = now;
  }

  /** Reads the secret before it is needed: one that cannot be read is told of now, and not when somebody signs in. */
  async readAhead(): Promise<void> {
    await this.#sealingKey().catch(() => undefined);
  }

  /** Null: more than a browser keeps. @throws ProblemError where no secret could be read yet */
  async seal(purpose: SealedPurpose, claims: JWTPayload, seconds: number): Promise<string | null> {
    const text = await new EncryptJWT(claims)
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(purpose)
      .setIssuedAt()
      .setExpirationTime(`${seconds}s`)
      .encrypt(await this.#sealingKey());
    return text.length <= maximumCookieCharacters ? text : null;
  }

  /** Undefined: not ours, for something else, or over. @throws ProblemError where no secret could be read yet */
  async open(purpose: SealedPurpose, text: string): Promise<JWTPayload | undefined> {
    if (text.length > maximumCookieCharacters) return undefined;
    const options = {
      audience: purpose,
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    };
    return jwtDecrypt(text, await this.#sealingKey(), options).then(
      ({ payload }) => payload,
      () => undefined,
    );
  }

  #sealingKey(): Promise<Uint8Array> {
    if (this.#key !== undefined && this.#now() - this.#readAt < secretMilliseconds) return this.#key;
    this.#readAt = this.#now();
    this.#key = this.#readKey(this.#key);
    return this.#key;
  }

  /** A file that cannot be read is tried again; the secret before it counts until then. */
  async #readKey(former: Promise<Uint8Array> | undefined): Promise<Uint8Array> {
    try {
      const secret = (await this.#options.loadSecret()) ?? this.#ownSecret;
      this.#told = '';
      return new Uint8Array(hkdfSync('sha256', secret, '', 'plimsoll cookies', 32));
    } catch (error) {
      this.#tell(messageOf(error));
      if (former !== undefined) return former;
      this.#key = undefined;
      throw new ProblemError(noSessions);
    }
  }

  #tell(reason: string): void {
    if (reason !== this.#told) this.#options.onUnreadable(reason);
    this.#told = reason;
  }
}

/** Methods that change nothing. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** What came of a request with a session's cookie. */
export type SessionResult =
  { readonly kind: 'Known'; readonly principal: Principal } | { readonly kind: 'CrossOrigin' };

/** Whether a request neither changes anything nor becomes a WebSocket: others come from our own pages only. */
export function changesNothing({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return safeMethods.has(method) && headers.upgrade === undefined;
}

/** The session's cookie; with the prefix no other host of the domain can set it. */
export function sessionName(isSecure: boolean): string {
  return isSecure ? '__Host-plimsoll-session' : 'plimsoll-session';
}

/** Whether a request brings what could say whose it is, good or bad: a header `Authorization`, or a session's cookie. */
export function bringsCredential({ authorization, cookie }: FastifyRequest['headers']): boolean {
  if (authorization !== undefined) return true;
  return [true, false].some((isSecure) => cookieOf(cookie, sessionName(isSecure)) !== undefined);
}

/** The text of a `Set-Cookie` header; scripts cannot read what it keeps. */
export function cookieText(name: string, value: string, terms: CookieTerms): string {
  const secure = terms.isSecure ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${terms.seconds}; HttpOnly; SameSite=${terms.sameSite}${secure}`;
}

/** How long a browser keeps a cookie, and what it sends it with. */
export interface CookieTerms {
  readonly seconds: number;
  readonly sameSite: 'Lax' | 'Strict';
  readonly isSecure: boolean;
}

/** The value of a cookie of a request; undefined: it has none of that name. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  const parts = (header ?? '').split(';').map((part) => part.trim());
  return parts.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
}
