import { hash } from 'node:crypto';

/** SHA-256 of the text's UTF-8 bytes, as 64 lower-case hexadecimal digits. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

/** SHA-256 of bytes, as 32 bytes. */
export function sha256Bytes(bytes: Uint8Array): Uint8Array {
  return hash('sha256', bytes, 'buffer');
}

/** What the next note names as the one before it. */
export function noteHash(text: string): string {
  return sha256Hex(text);
}
