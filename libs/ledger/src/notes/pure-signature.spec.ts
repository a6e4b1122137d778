import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { genesisHash } from '../entries/entry.ts';
import { checkpointBodyText, parseCheckpointNote } from './checkpoint-note.ts';
import { keyRotationBodyText, parseKeyRotationNote } from './key-rotation-note.ts';
import {
  generateSigningKey,
  parseSigningKey,
  publicKeyPem,
  publicKeyText,
  type SigningKey,
  signNote,
} from './note-signature.ts';
import { isGenuineNote, parsePublicKey, publicKeyFingerprint } from './pure-signature.ts';
import type { SignedNote } from './signed-note.ts';

const origin = `plimsoll/production/${'a'.repeat(32)}`;
const time = '2026-11-20T12:00:00Z';

const aKey = (): SigningKey => parseSigningKey(generateSigningKey());

const read = <T extends SignedNote>(note: T | null): T => {
  if (note === null) throw new Error('this is no note');
  return note;
};

const checkpointBy = (key: SigningKey, number = 7n) => {
  const body = { origin, number, previous: genesisHash, streams: 3n, entries: 9n, root: genesisHash, time };
  return read(parseCheckpointNote(signNote(checkpointBodyText(body), origin, key)));
};

const rotation = (from: SigningKey, to: SigningKey, number = 7n) => {
  const body = { origin, number, previous: genesisHash, key: publicKeyText(to.publicKey), time };
  return read(parseKeyRotationNote(signNote(keyRotationBodyText(body), origin, from, to)));
};

const bytesOf = (key: SigningKey): Uint8Array => {
  const bytes = parsePublicKey(publicKeyPem(key.publicKey));
  if (bytes === null) throw new Error('this is no key');
  return bytes;
};

describe('signatures outside Node.js', () => {
  it('reads a key as PEM and as its bytes, and names it as OpenSSL does', () => {
    const key = aKey();
    expect(parsePublicKey(`${publicKeyText(key.publicKey)}\n`)).toEqual(bytesOf(key));
    const der = key.publicKey.export({ type: 'spki', format: 'der' });
    expect(publicKeyFingerprint(bytesOf(key))).toBe(createHash('sha256').update(der).digest('hex'));
  });

  it.each([
    '',
    'no key',
    'AAAA',
    '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----',
    '%'.repeat(43),
  ])('takes %j for no key', (text) => {
    expect(parsePublicKey(text)).toBeNull();
  });

  it('knows a checkpoint by its key, and no other', () => {
    const [key, other] = [aKey(), aKey()];
    const note = checkpointBy(key);
    expect(isGenuineNote(note, bytesOf(key), [])).toBe(true);
    expect(isGenuineNote(note, bytesOf(other), [])).toBe(false);
    expect(isGenuineNote({ ...note, bodyText: note.bodyText.replace('9', '8') }, bytesOf(key), [])).toBe(
      false,
    );
    const [signature] = note.signatures;
    const cut = { name: origin, signature: signature?.signature.slice(0, 40) ?? '' };
    expect(isGenuineNote({ ...note, signatures: [cut] }, bytesOf(key), [])).toBe(false);
  });

  it('follows a key to the one that took its place, up to the number of the note', () => {
    const [first, second, stranger] = [aKey(), aKey(), aKey()];
    const note = checkpointBy(second);
    expect(isGenuineNote(note, bytesOf(first), [rotation(first, second)])).toBe(true);
    expect(isGenuineNote(note, bytesOf(first), [rotation(first, second, 8n)])).toBe(false);
    expect(isGenuineNote(note, bytesOf(first), [rotation(stranger, second)])).toBe(false);
  });
});
