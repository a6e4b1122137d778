import { constants, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { dictionaryOf, newestDictionary } from '../dictionaries.ts';
import { contentSizeOf } from '../zstd.ts';
import { decodeFrame, readDictionary } from './frame-decoder.ts';
import { FrameError } from './frame-error.ts';

const whole = dictionaryOf(newestDictionary);
const dictionary = readDictionary(whole);

function compressed(content: Uint8Array, level: number): Uint8Array {
  const params = {
    [constants.ZSTD_c_compressionLevel]: level,
    [constants.ZSTD_c_checksumFlag]: 0,
    [constants.ZSTD_c_dictIDFlag]: 0,
  };
  return zstdCompressSync(content, { dictionary: whole, params, pledgedSrcSize: content.length });
}

function decoded(frame: Uint8Array): Buffer {
  const size = contentSizeOf(frame);
  if (size === undefined) throw new Error('the frame does not say how long it is');
  const from = dictionary.content.length;
  const output = Buffer.alloc(from + size.bytes);
  output.set(dictionary.content);
  decodeFrame({ frame, start: size.end, dictionary, output, from, until: from + size.bytes });
  return output.subarray(from);
}

/** The same in each run. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
}

/** Of few different letters, of many, or of all bytes; with repetitions near and far. */
function contents(): readonly (readonly [string, Buffer])[] {
  const next = random(7);
  const letters = (count: number, length: number): Buffer =>
    Buffer.from(Array.from({ length }, () => 97 + Math.floor(next() ** 3 * count)));
  const repeated = Buffer.concat([letters(26, 3_000), letters(3, 500), letters(26, 40_000)]);
  return [
    ['few letters', letters(3, 700)],
    ['one letter', letters(1, 40_000)],
    ['a text in one stream', letters(20, 900)],
    ['a text in four streams', letters(26, 30_000)],
    ['all bytes', Buffer.from(Array.from({ length: 20_000 }, () => Math.floor(next() ** 2 * 256)))],
    ['bytes that cannot be compressed', Buffer.from(Array.from({ length: 3_000 }, () => next() * 256))],
    ['repetitions over several blocks', Buffer.concat([repeated, letters(26, 200_000), repeated, repeated])],
    ['what the dictionary has', Buffer.concat([dictionary.content.subarray(3_000, 9_000), letters(9, 300)])],
    [
      'figures',
      Buffer.from(Array.from({ length: 3_000 }, () => `"cpu":"${Math.floor(next() * 900)}m",`).join('')),
    ],
  ];
}

describe('decodeFrame', () => {
  it.each(contents())('decodes %s, at every level', (_, content) => {
    for (const level of [-5, 1, 3, 5, 9, 12, 16, 19])
      expect(decoded(compressed(content, level)).equals(content)).toBe(true);
  });

  it('ends on damage', () => {
    const next = random(3);
    const frame = compressed(contents()[8]![1], 9);
    for (let run = 0; run < 500; run += 1) {
      const damaged = frame.with(6 + Math.floor(next() * (frame.length - 6)), Math.floor(next() * 256));
      try {
        decoded(damaged);
      } catch (error) {
        expect(error).toBeInstanceOf(FrameError);
      }
    }
  });
});
