import { hkdfSync, randomBytes } from 'node:crypto';
import { EncryptJWT, jwtDecrypt, type JWTPayload } from 'jose';

/** Browsers keep 4,096 bytes of a cookie, its name and attributes included. */
const maximumCookieCharacters = 3_800;

/** What a sealed text is for: one cannot stand in for the other. */
export type SealedPurpose = 'session' | 'sign-in';

/**
 * Seals what a browser keeps for us: encrypted and authenticated, so that it can neither be read nor made elsewhere, and
 * with an end.
 *
 * @see docs/adr/0012-sessions-are-sealed-cookies.md
 */
export class SealedCookies {
  readonly #loadSecret: () => Promise<string | undefined>;
  #key: Promise<Uint8Array> | undefined;

  /** The secret is shared by all processes that are to open what one of them sealed; undefined: this process alone. */
  constructor(loadSecret: () => Promise<string | undefined>) {
    this.#loadSecret = loadSecret;
  }

  /** Null: more than a browser keeps. */
  async seal(purpose: SealedPurpose, claims: JWTPayload, seconds: number): Promise<string | null> {
    const text = await new EncryptJWT(claims)
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(purpose)
      .setIssuedAt()
      .setExpirationTime(`${seconds}s`)
      .encrypt(await this.#sealingKey());
    return text.length <= maximumCookieCharacters ? text : null;
  }

  /** Undefined: not ours, for something else, or over. */
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

  /** A file that cannot be read is tried again. */
  #sealingKey(): Promise<Uint8Array> {
    this.#key ??= this.#loadSecret()
      .then(
        (secret) => new Uint8Array(hkdfSync('sha256', secret ?? randomBytes(32), '', 'plimsoll cookies', 32)),
      )
      .catch((error: unknown) => {
        this.#key = undefined;
        throw error;
      });
    return this.#key;
  }
}

/** The value of a cookie of a request; undefined: it has none of that name. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  const parts = (header ?? '').split(';').map((part) => part.trim());
  return parts.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
}
