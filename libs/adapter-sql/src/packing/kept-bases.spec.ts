import { describe, expect, it } from '@jest/globals';
import { KeptBases, type PackedBase } from './kept-bases.ts';

function aBase(byte: number): PackedBase {
  return { id: `packed ${byte} policy:shop/checkout`, dictionary: 1n, packed: Uint8Array.of(byte) };
}

describe('KeptBases', () => {
  const [baseA, baseB, baseC] = [aBase(1), aBase(2), aBase(3)] as const;
  const ofLength = (count: number) => () => Promise.resolve('x'.repeat(count));

  it('makes one once for all that ask side by side', async () => {
    const kept = new KeptBases(100);
    let made = 0;
    const make = (): Promise<string> => Promise.resolve(`made ${(made += 1)}`);
    expect(await Promise.all([kept.read(baseA, make), kept.read(baseA, make)])).toEqual(['made 1', 'made 1']);
    expect(await kept.read(baseA, make)).toBe('made 1');
  });

  it('keeps those that were read last, within its size', async () => {
    const kept = new KeptBases(100);
    await kept.read(baseA, ofLength(40));
    await kept.read(baseB, ofLength(40));
    await kept.read(baseA, ofLength(40));
    await kept.read(baseC, ofLength(40));
    expect(kept.lacking([baseA, baseB, baseC])).toEqual([baseB]);
  });

  it('says which of several it lacks, each once', async () => {
    const kept = new KeptBases(100);
    await kept.read(baseA, ofLength(1));
    expect(kept.lacking([baseA, baseB, aBase(2), baseC])).toEqual([baseB, baseC]);
  });

  it('finds none that has come to stand in the place of another', async () => {
    const kept = new KeptBases(100);
    const other = { ...baseA, packed: Uint8Array.of(9) };
    await kept.read(baseA, ofLength(1));
    expect([kept.find(baseA), kept.find(other), kept.lacking([other])]).toEqual(['x', undefined, [other]]);
    expect(await kept.read(other, ofLength(2))).toBe('xx');
    expect([kept.find(baseA), kept.find(other)]).toEqual([undefined, 'xx']);
  });

  it('keeps none that cannot be made', async () => {
    const kept = new KeptBases(100);
    await expect(kept.read(baseA, () => Promise.reject(new Error('damaged')))).rejects.toThrow('damaged');
    expect(await kept.read(baseA, ofLength(1))).toHaveLength(1);
  });
});
