import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { textWhile } from './text-document.ts';

/** A text in parts of its own size, as a file is read. */
function aText(parts: readonly string[]): Readable {
  return Readable.from(parts, { highWaterMark: 1 });
}

describe('a text that goes on while it may', () => {
  it('is as it was where it always may', async () => {
    const text = textWhile(aText(['a', 'b', 'c']), () => Promise.resolve());
    expect((await text.toArray()).join('')).toBe('abc');
  });

  it('ends with the part before which it may not go on, and what it was read from with it', async () => {
    const source = aText(['a', 'b', 'c']);
    let asked = 0;
    const text = textWhile(source, () => (++asked < 2 ? Promise.resolve() : Promise.reject(new Error('no'))));
    const read: string[] = [];
    const reading = (async () => {
      for await (const part of text) read.push(String(part));
    })();
    await expect(reading).rejects.toThrow('no');
    expect({ asked, isOpen: !source.destroyed }).toEqual({ asked: 2, isOpen: false });
    expect(read).not.toContain('b');
  });

  it('closes what it is read from where its reader leaves before the first part', async () => {
    const source = aText(['a']);
    const text = textWhile(source, () => Promise.resolve());
    text.destroy();
    await new Promise((resolve) => source.once('close', resolve));
    expect(source.destroyed).toBe(true);
  });
});
