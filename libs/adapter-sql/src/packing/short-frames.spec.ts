import { buffer } from 'node:stream/consumers';
import { createZstdCompress, zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dictionaryOf, newestDictionary } from './dictionaries.ts';
import { decompressShort } from './short-frames.ts';
import { compress } from './zstd.ts';

const dictionary = newestDictionary;
const whole = dictionaryOf(dictionary);

function dictionaryWith(base: string | null): Buffer {
  return base === null ? whole : Buffer.concat([whole, Buffer.from(base)]);
}

/** As decisions are: words that repeat, and figures between them. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '"averageUtilization":',
        '{"name":"cpu","pods":',
        'within 10 %',
        'aaaaaaaaaaaa',
        'ä€😀',
      ),
      fc.integer().map(String),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));

describe('decompressShort', () => {
  it('gives what was compressed, with a base or without one', async () => {
    let short = 0;
    await fc.assert(
      fc.asyncProperty(texts, fc.option(texts), fc.boolean(), async (text, base, isAlike) => {
        const content = isAlike && base !== null ? base.slice(0, base.length / 2) + text : text;
        const frame = await compress(content, dictionaryWith(base));
        const found = decompressShort(frame, { dictionary, base });
        if (found !== null) short += 1;
        // Some characters do not survive UTF-8: zlib is the judge.
        const expected = zstdDecompressSync(frame, { dictionary: dictionaryWith(base) }).toString();
        expect(found ?? expected).toBe(expected);
      }),
      { numRuns: 500 },
    );
    expect(short).toBeGreaterThan(300);
  });

  it('finds the second of two bases, and then the first again', async () => {
    const bases = ['the first base '.repeat(9), 'ä second one '.repeat(7)];
    const frames = await Promise.all(bases.map((base) => compress(`${base}!`, dictionaryWith(base))));
    const read = (index: number) => decompressShort(frames[index]!, { dictionary, base: bases[index]! });
    expect([0, 1, 0].map(read)).toEqual([0, 1, 0].map((index) => `${bases[index]!}!`));
  });

  it.each([
    { name: 'with matches', changed: '67890 ' },
    { name: 'that says one thing again and again', changed: 'aaaaaaaa' },
    { name: 'of literals', changed: 'Zürich, Łódź & 北京: {§17} ' },
  ])('takes no damaged byte of a frame $name for another text than zlib does', async ({ changed }) => {
    const base = `{"decision":{"action":"None","reason":"cpu within ${'12345'.repeat(9)} of the target"}}`;
    const text = base.replace('None', 'ScaleUp').replaceAll('12345', changed);
    const frame = await compress(text, dictionaryWith(base));
    expect(decompressShort(frame, { dictionary, base })).toBe(text);
    const differing = Array.from(frame.keys()).flatMap((at) =>
      Array.from({ length: 256 }, (_, byte) => frame.with(at, byte)).filter((damaged) => {
        const found = decompressShort(damaged, { dictionary, base });
        return found !== null && found !== decompressedByZlib(damaged, base);
      }),
    );
    expect(differing).toEqual([]);
  });

  it('leaves a number of sequences that goes on behind its block to zlib', () => {
    // Literals alone: the last byte says that there are no sequences.
    const frame = Buffer.from('28b52ffd20179500007381030821841042082174aefbb139fb0200', 'hex');
    expect(decompressShort(frame, { dictionary, base: null })).toHaveLength(23);
    expect(decompressShort(frame.with(26, 128), { dictionary, base: null })).toBeNull();
  });

  it.each([
    { name: 'a frame that is cut off', of: (frame: Uint8Array) => frame.subarray(0, -1) },
    { name: 'bytes behind a frame', of: (frame: Uint8Array) => Buffer.concat([frame, Buffer.alloc(1)]) },
    { name: 'no frame', of: () => Buffer.from('no frame at all') },
    { name: 'nothing', of: () => new Uint8Array() },
    { name: 'a frame that says another length', of: (frame: Uint8Array) => frame.with(5, 9) },
  ])('leaves $name to zlib', async ({ of }) => {
    const frame = await compress('the first '.repeat(9), whole);
    expect(decompressShort(of(frame), { dictionary, base: null })).toBeNull();
  });

  it('leaves to zlib what is long, has no length, or has a dictionary that is not known', async () => {
    const random = Array.from({ length: 400 }, (_, index) => Math.sin(index)).join();
    const stream = createZstdCompress();
    stream.write('one, ');
    stream.end('and another one');
    const short = await compress('short', whole);
    expect(decompressShort(await compress(random, whole), { dictionary, base: null })).toBeNull();
    expect(decompressShort(await compress('x'.repeat(70_000), whole), { dictionary, base: null })).toBeNull();
    expect(decompressShort(await buffer(stream), { dictionary, base: null })).toBeNull();
    expect(decompressShort(short, { dictionary, base: 'x'.repeat(40_000) })).toBeNull();
    expect(decompressShort(short, { dictionary: 99n, base: null })).toBeNull();
    expect(decompressShort(short, { dictionary, base: null })).toBe('short');
  });
});

function decompressedByZlib(frame: Uint8Array, base: string): string | null {
  try {
    return zstdDecompressSync(frame, { dictionary: dictionaryWith(base) }).toString();
  } catch {
    return null;
  }
}
