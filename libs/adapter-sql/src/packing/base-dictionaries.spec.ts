import { describe, expect, it } from '@jest/globals';
import { BaseDictionaries, type PackedBase } from './base-dictionaries.ts';

function aBase(byte: number): PackedBase {
  return { dictionary: 1n, packed: Uint8Array.of(byte) };
}

describe('BaseDictionaries', () => {
  const [baseA, baseB, baseC] = [aBase(1), aBase(2), aBase(3)] as const;
  const ofBytes = (count: number) => () => Promise.resolve(new Uint8Array(count));

  it('makes one once for all that ask side by side', async () => {
    const kept = new BaseDictionaries(100);
    let made = 0;
    const make = (): Promise<Uint8Array> => Promise.resolve(new Uint8Array([(made += 1)]));
    const [first, second] = await Promise.all([kept.read(baseA, make), kept.read(baseA, make)]);
    expect(first).toBe(second);
    expect(await kept.read(baseA, make)).toBe(first);
    expect(made).toBe(1);
  });

  it('keeps those that were read last, within its bytes', async () => {
    const kept = new BaseDictionaries(100);
    await kept.read(baseA, ofBytes(40));
    const b = await kept.read(baseB, ofBytes(40));
    const a = await kept.read(baseA, ofBytes(40));
    await kept.read(baseC, ofBytes(40));
    expect(await kept.read(baseA, ofBytes(40))).toBe(a);
    expect(await kept.read(baseB, ofBytes(40))).not.toBe(b);
  });

  it('says which of several it lacks, each once', async () => {
    const kept = new BaseDictionaries(100);
    await kept.read(baseA, ofBytes(1));
    expect(kept.lacking([baseA, baseB, aBase(2), baseC])).toEqual([baseB, baseC]);
  });

  it('keeps none that cannot be made', async () => {
    const kept = new BaseDictionaries(100);
    await expect(kept.read(baseA, () => Promise.reject(new Error('damaged')))).rejects.toThrow('damaged');
    expect(await kept.read(baseA, ofBytes(1))).toHaveLength(1);
  });
});
