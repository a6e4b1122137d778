import { describe, expect, it } from '@jest/globals';
import { dictionaryOf, newestDictionary } from './dictionaries.ts';
import { compress, compressNow, decompress } from './zstd.ts';

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

  it.each([10, 1_000, 10_000, 100_000])(
    'holds no more memory than its bytes, of a text of %i letters',
    async (length) => {
      const text = 'abcdefghij'.repeat(length / 10);
      const bytes = await compress(text, dictionaryOf(newestDictionary));
      expect(bytes.buffer.byteLength).toBe(bytes.length);
      expect(compressNow(Buffer.from(text)).buffer.byteLength).toBeLessThan(length + 64);
    },
  );

  it('lets the loop serve what else waits while many texts are compressed', async () => {
    const random = Array.from({ length: 3_000 }, (_, index) => Math.sin(index)).join();
    const texts = Array.from({ length: 400 }, (_, index) => random.slice(index, index + 12_000));
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 0);
    const compressed = await Promise.all(texts.map((text) => compress(text, dictionaryOf(newestDictionary))));
    clearInterval(counting);
    expect(turns).toBeGreaterThan(2);
    const back = await Promise.all(
      compressed.map((bytes) => decompress(bytes, dictionaryOf(newestDictionary))),
    );
    expect(back).toEqual(texts);
  });
});
