import { describe, expect, it } from '@jest/globals';
import { OverlayCache, type OverlayFile } from './overlay-file.ts';

const file = (
  path: string,
  blob: string,
  text = `namespace: n${blob}`,
): OverlayFile & { role: 'Kustomization' } => ({
  file: path,
  blob,
  role: 'Kustomization',
  bytes: new TextEncoder().encode(text),
});

describe('OverlayCache', () => {
  it('parses a blob once, and forgets what a reading did not ask for', () => {
    const cache = new OverlayCache();
    const asked: boolean[] = [];
    const read = (...files: readonly ReturnType<typeof file>[]): void => {
      cache.begin();
      for (const each of files) {
        asked.push(cache.has(each));
        expect(cache.read(each)?.value?.namespace).toBe(`n${each.blob}`);
      }
    };
    read(file('a', '1'), file('b', '1'), file('a', '1'));
    read(file('a', '1'), file('b', '2'));
    read(file('a', '1'));
    read(file('b', '2'));
    expect(asked).toEqual([false, false, true, true, false, true, false]);
  });

  it('gives nothing of a file that could not be parsed, and has it tried again at the next reading', () => {
    const cache = new OverlayCache();
    cache.begin();
    cache.fail(file('a', '1'), 'it took too long');
    expect(cache.read(file('a', '1'))).toBeUndefined();
    expect(cache.failure(file('a', '1'))).toBe('it took too long');
    cache.begin();
    expect(cache.read(file('a', '1'))?.value?.namespace).toBe('n1');
  });
});
