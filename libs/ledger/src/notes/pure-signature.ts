import { hashes, verify } from '@noble/ed25519';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { KeyRotationBody } from './key-rotation-note.ts';
import type { SignedNote } from './signed-note.ts';

hashes.sha512 = sha512;

const publicKeyLength = 32;
const keyIdLength = 4;
/** What stands before the key itself in its DER form (RFC 8410). */
const spkiPrefix = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
/** Ed25519, in C2SP's signed notes. */
const algorithm = 1;

const utf8 = new TextEncoder();
const pemForm = /^-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]*)-----END PUBLIC KEY-----$/;

/** A public key of Ed25519, as PEM or as base64 of its 32 bytes; `null` for any other text. */
export function parsePublicKey(text: string): Uint8Array | null {
  const pem = pemForm.exec(text.trim());
  const bytes = bytesOf(pem?.[1] ?? text);
  if (bytes === null) return null;
  if (pem === null) return bytes.length === publicKeyLength ? bytes : null;
  const isEd25519 =
    bytes.length === spkiPrefix.length + publicKeyLength &&
    spkiPrefix.every((byte, index) => bytes[index] === byte);
  return isEd25519 ? bytes.slice(spkiPrefix.length) : null;
}

/** SHA-256 of the key's DER form (SPKI), as hexadecimal digits: what `openssl pkey -pubin -outform DER | sha256sum` prints. */
export function publicKeyFingerprint(key: Uint8Array): string {
  return bytesToHex(sha256(joined(Uint8Array.from(spkiPrefix), key)));
}

/** Whether a note of a number is signed with a key, or with one that followed it by the rotations up to there. */
export function isGenuineNote(
  note: SignedNote<{ readonly origin: string; readonly number: bigint }>,
  key: Uint8Array,
  rotations: readonly SignedNote<KeyRotationBody>[],
): boolean {
  let current = key;
  for (const rotation of rotations) {
    const { body } = rotation;
    const isBefore = body.number <= note.body.number && body.origin === note.body.origin;
    if (isBefore && isSignedWith(rotation, current)) current = parsePublicKey(body.key) ?? current;
  }
  return isSignedWith(note, current);
}

function isSignedWith({ body, bodyText, signatures }: SignedNote, key: Uint8Array): boolean {
  const id = sha256(joined(utf8.encode(`${body.origin}\n`), Uint8Array.of(algorithm), key));
  return signatures.some(({ name, signature }) => {
    const bytes = bytesOf(signature);
    if (bytes === null || name !== body.origin) return false;
    if (!bytes.slice(0, keyIdLength).every((byte, index) => byte === id[index])) return false;
    return isSignature(bytes.slice(keyIdLength), utf8.encode(bodyText), key);
  });
}

/** Bytes that are no signature, or no point of the curve, sign nothing. */
function isSignature(signature: Uint8Array, message: Uint8Array, key: Uint8Array): boolean {
  try {
    return verify(signature, message, key);
  } catch {
    return false;
  }
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let place = 0;
  for (const part of parts) {
    bytes.set(part, place);
    place += part.length;
  }
  return bytes;
}

function bytesOf(base64: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(base64.replaceAll(/\s/g, '')), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
