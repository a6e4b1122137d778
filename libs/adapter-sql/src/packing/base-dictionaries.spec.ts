import { describe, expect, it } from '@jest/globals';
import { BaseDictionaries } from './base-dictionaries.ts';

describe('BaseDictionaries', () => {
  const [baseA, baseB, baseC] = [Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)] as const;
  const ofBytes = (count: number) => () => Promise.resolve(new Uint8Array(count));

  it('makes one once for all that ask side by side', async () => {
    const kept = new BaseDictionaries(100);
    let made = 0;
    const make = (): Promise<Uint8Array> => Promise.resolve(new Uint8Array([(made += 1)]));
    const [first, second] = await Promise.all([kept.read(1n, baseA, make), kept.read(1n, baseA, make)]);
    expect(first).toBe(second);
    expect(await kept.read(1n, baseA, make)).toBe(first);
    expect(made).toBe(1);
  });

  it('keeps those that were read last, within its bytes', async () => {
    const kept = new BaseDictionaries(100);
    await kept.read(1n, baseA, ofBytes(40));
    const b = await kept.read(1n, baseB, ofBytes(40));
    const a = await kept.read(1n, baseA, ofBytes(40));
    await kept.read(1n, baseC, ofBytes(40));
    expect(await kept.read(1n, baseA, ofBytes(40))).toBe(a);
    expect(await kept.read(1n, baseB, ofBytes(40))).not.toBe(b);
  });

  it('keeps none that cannot be made', async () => {
    const kept = new BaseDictionaries(100);
    await expect(kept.read(1n, baseA, () => Promise.reject(new Error('damaged')))).rejects.toThrow('damaged');
    expect(await kept.read(1n, baseA, ofBytes(1))).toHaveLength(1);
  });
});
