import { buffer } from 'node:stream/consumers';
import { createZstdCompress } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { dictionaryOf, newestDictionary } from './dictionaries.ts';
import { compress, compressNow, decompress, decompressTogether } from './zstd.ts';

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

describe('decompressTogether', () => {
  const dictionary = dictionaryOf(newestDictionary);
  // The lengths around which a frame says its own in one byte more.
  const lengths = [0, 1, 255, 256, 257, 65_791, 65_792, 100_000];
  const texts = ['ä€😀', ...lengths.map((length) => 'x'.repeat(length)), 'the last'];
  const framesOf = (some: readonly string[]) => Promise.all(some.map((text) => compress(text, dictionary)));

  it('gives the text of each frame', async () => {
    expect(decompressTogether(await framesOf(texts), dictionary)).toEqual(texts);
  });

  it.each([
    { name: 'one is damaged', of: (frame: Uint8Array) => frame.with(frame.length - 1, 255) },
    { name: 'one is cut off', of: (frame: Uint8Array) => frame.subarray(0, -2) },
    { name: 'one is no frame', of: () => Buffer.from('no frame at all') },
    { name: 'one is empty', of: () => new Uint8Array() },
    { name: 'one says that it is shorter', of: (frame: Uint8Array) => frame.with(5, 9) },
  ])('gives none where $name', async ({ of }) => {
    const [first, second, third] = await framesOf([
      'the first '.repeat(9),
      'the second '.repeat(9),
      'the third',
    ]);
    const frames = [first, of(second!), third!] as readonly Uint8Array[];
    expect(decompressTogether(frames, dictionary)).toBeNull();
  });

  it('gives none where one does not say how long it is', async () => {
    const stream = createZstdCompress();
    stream.write('one, ');
    stream.end('and another one');
    const [frame] = await framesOf(['the first']);
    expect(decompressTogether([frame!, await buffer(stream)], dictionary)).toBeNull();
  });

  it('gives none where all of them are long', async () => {
    const [frame] = await framesOf(['x'.repeat(600_000)]);
    expect(decompressTogether([frame!, frame!], dictionary)).toBeNull();
  });
});
