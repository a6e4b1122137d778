import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Principal } from './principal.ts';

/** A token as the configuration holds it: never the token itself. */
export interface TokenRecord extends Principal {
  /** SHA-256 in hex. */
  readonly sha256: string;
}

/** A new random token (256 bits) and the record that recognises it. */
export function createToken(principal: Principal): { readonly token: string; readonly record: TokenRecord } {
  const token = `plm_${randomBytes(32).toString('base64url')}`;
  return { token, record: { ...principal, sha256: digestOf(token).toString('hex') } };
}

/** Recognises bearer tokens. Every record is compared, in constant time, so that timing reveals nothing. */
export class TokenAuthenticator {
  #records: readonly { readonly principal: Principal; readonly digest: Buffer }[] = [];

  constructor(records: readonly TokenRecord[]) {
    this.replace(records);
  }

  /** Recognises other tokens from now on. */
  replace(records: readonly TokenRecord[]): void {
    this.#records = records.map(({ sha256, ...principal }) => ({
      principal,
      digest: Buffer.from(sha256, 'hex'),
    }));
  }

  /** The principal of an `Authorization` header's bearer token, or undefined. */
  authenticate(header: string | undefined): Principal | undefined {
    const token = /^Bearer ([!-~]{1,512})$/i.exec(header ?? '')?.[1];
    if (token === undefined) return undefined;
    const digest = digestOf(token);
    let found: Principal | undefined;
    for (const record of this.#records) if (timingSafeEqual(record.digest, digest)) found = record.principal;
    return found;
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
