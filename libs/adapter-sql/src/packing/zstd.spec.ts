import { describe, expect, it } from '@jest/globals';
import { dictionaryOf, newestDictionary } from './dictionaries.ts';
import { compress, decompress } from './zstd.ts';

/** Of a frame's descriptor, its fifth byte: window and content are one, so that both are as short as the text. */
const singleSegment = 0b0010_0000;

describe('compress', () => {
  it.each(['', 'a', 'ä€😀'.repeat(50), 'x'.repeat(100_000)])(
    'takes a window as short as the text',
    async (text) => {
      const dictionary = dictionaryOf(newestDictionary);
      const bytes = await compress(text, dictionary);
      expect((bytes[4] ?? 0) & singleSegment).toBe(singleSegment);
      await expect(decompress(bytes, dictionary)).resolves.toBe(text);
    },
  );
});
