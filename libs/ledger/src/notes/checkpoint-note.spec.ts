import { createPublicKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  type CheckpointBody,
  checkpointBodyText,
  type CheckpointNote,
  checkpointOrigin,
  parseCheckpointNote,
} from './checkpoint-note.ts';
import {
  generateSigningKey,
  isSignedWith,
  parseSigningKey,
  parseVerificationKey,
  publicKeyPem,
  signNote,
} from './note-signature.ts';

const body: CheckpointBody = {
  origin: checkpointOrigin('prod-eu-1', '0123456789abcdef0123456789abcdef'),
  number: 7n,
  previous: 'a'.repeat(64),
  streams: 9n,
  entries: 2n ** 60n,
  root: 'b'.repeat(64),
  time: '2026-11-20T12:00:00Z',
};
const key = parseSigningKey(generateSigningKey());
const note = signNote(checkpointBodyText(body), body.origin, key);

describe('a checkpoint note', () => {
  it('is read as it was written, and is signed with its key only', () => {
    const parsed = parseCheckpointNote(note);
    expect(parsed?.body).toEqual(body);
    expect(isSignedWith(parsed!, parseVerificationKey(publicKeyPem(key.publicKey)))).toBe(true);
    expect(isSignedWith(parsed!, parseSigningKey(generateSigningKey()).publicKey)).toBe(false);
  });

  it('is signed no more once any byte of its body or signature is another', () => {
    for (let at = 0; at < note.length; at += 1) {
      const changed = parseCheckpointNote(
        `${note.slice(0, at)}${note[at] === 'b' ? 'c' : 'b'}${note.slice(at + 1)}`,
      );
      // The last bits of base64's padding stand for nothing.
      if (at < note.length - 4) expect(changed !== null && isSignedWith(changed, key.publicKey)).toBe(false);
    }
  });

  it.each([
    { name: 'no text', given: '' },
    { name: 'no signature', given: checkpointBodyText(body) },
    { name: 'a line more', given: note.replace('\ntime', '\nmore 1\ntime') },
    { name: 'a number that begins with 0', given: note.replace('checkpoint 7', 'checkpoint 07') },
    { name: 'another origin', given: note.replace('plimsoll/', 'other/') },
    { name: 'a line that is no signature', given: `${note}x\n` },
    { name: 'a text without an end', given: note.slice(0, -1) },
    {
      name: 'a text of a megabyte',
      given: `${note}${note.slice(note.lastIndexOf('\u2014')).repeat(10_000)}`,
    },
  ])('is none with $name', ({ given }) => {
    expect(parseCheckpointNote(given)).toBeNull();
  });

  it('takes several signatures', () => {
    const other = parseSigningKey(generateSigningKey());
    const both = `${note}${signNote(checkpointBodyText(body), body.origin, other).slice(checkpointBodyText(body).length + 1)}`;
    const parsed = parseCheckpointNote(both);
    expect([key, other].map(({ publicKey }) => isSignedWith(parsed!, publicKey))).toEqual([true, true]);
  });

  it('is signed as other signed notes are', () => {
    // The example of golang.org/x/mod/sumdb/note.
    const raw = Buffer.from('ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW', 'base64').subarray(1);
    const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]);
    const published: CheckpointNote = {
      body: { ...body, origin: 'PeterNeumann' },
      bodyText:
        "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n",
      signatures: [
        {
          name: 'PeterNeumann',
          signature:
            'x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=',
        },
      ],
    };
    const peter = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    expect(isSignedWith(published, peter)).toBe(true);
    expect(isSignedWith({ ...published, bodyText: 'other\n' }, peter)).toBe(false);
  });

  it('wants a key of Ed25519', () => {
    const pem =
      '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEoBUyo8CQAFPeYPvv78ylh5MwFZjT\nCLQeb042TjiMJxG+9DLFmRSMlBQ9T/RsLLc+PmpB1+7yPAR+oR5gZn3kJQ==\n-----END PUBLIC KEY-----\n';
    expect(() => parseVerificationKey(pem)).toThrow('checkpoints are signed with Ed25519');
    expect(() => parseVerificationKey('no key')).toThrow('this is no public key in PEM');
    expect(() => parseSigningKey('no key')).toThrow();
  });
});
