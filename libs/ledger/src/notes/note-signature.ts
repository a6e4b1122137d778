import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { sha256Bytes } from '../entries/hash.ts';
import { type SignedNote, signedNoteText } from './signed-note.ts';

/** A key that signs checkpoints. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const publicKeyLength = 32;
const keyIdLength = 4;
/** What stands before the key itself in its DER form (RFC 8410). */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');
/** Ed25519, in C2SP's signed notes. */
const algorithm = 1;

/** A new key, as PEM (PKCS #8). */
export function generateSigningKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
}

/** @throws Error for what is no private key of Ed25519 in PEM */
export function parseSigningKey(pem: string): SigningKey {
  const privateKey = createPrivateKey(pem);
  requireEd25519(privateKey);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** @throws Error for what is no public key of Ed25519 in PEM */
export function parseVerificationKey(pem: string): KeyObject {
  const key = publicKeyOf(pem);
  requireEd25519(key);
  return key;
}

/** OpenSSL's own message says nothing to someone who has named the wrong file. */
function publicKeyOf(pem: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch (error) {
    throw new Error('this is no public key in PEM', { cause: error });
  }
}

function requireEd25519({ asymmetricKeyType }: KeyObject): void {
  if (asymmetricKeyType !== 'ed25519')
    throw new Error(`the key is of ${String(asymmetricKeyType)}; checkpoints are signed with Ed25519`);
}

/** The public key as PEM (SPKI). */
export function publicKeyPem(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' });
}

/** Signs a body under a name, with one key or with several. */
export function signNote(bodyText: string, name: string, ...keys: readonly SigningKey[]): string {
  const signatures = keys.map(({ privateKey, publicKey }) => {
    const signature = sign(null, Buffer.from(bodyText), privateKey);
    return { name, signature: Buffer.concat([keyId(name, publicKey), signature]).toString('base64') };
  });
  return signedNoteText(bodyText, signatures);
}

/** The 32 bytes of a public key in base64, as notes name it. */
export function publicKeyText(key: KeyObject): string {
  return rawKey(key).toString('base64');
}

/** @throws Error for a text that is not of 32 bytes */
export function parsePublicKeyText(text: string): KeyObject {
  const raw = Buffer.from(text, 'base64');
  if (raw.length !== publicKeyLength) throw new Error('a public key of Ed25519 has 32 bytes');
  return createPublicKey({ key: Buffer.concat([spkiPrefix, raw]), format: 'der', type: 'spki' });
}

/** Whether a note is signed with a key under the name of its origin. */
export function isSignedWith({ body, bodyText, signatures }: SignedNote, key: KeyObject): boolean {
  const id = keyId(body.origin, key);
  return signatures.some(({ name, signature }) => {
    const bytes = Buffer.from(signature, 'base64');
    return (
      name === body.origin &&
      bytes.subarray(0, keyIdLength).equals(id) &&
      verify(null, Buffer.from(bodyText), key, bytes.subarray(keyIdLength))
    );
  });
}

/** The first bytes of the hash of name, algorithm and key. */
function keyId(name: string, key: KeyObject): Buffer {
  const named = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(algorithm), rawKey(key)]);
  return Buffer.from(sha256Bytes(named)).subarray(0, keyIdLength);
}

function rawKey(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' }).subarray(-publicKeyLength);
}
