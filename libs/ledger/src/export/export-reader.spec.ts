import { describe, expect, it } from '@jest/globals';
import { type ExportReader, settledSnapshot } from './export-reader.ts';

const everything = { from: null, until: null, namespaces: null, policies: null, kinds: null };

/** A ledger whose checkpoint does not fit until it was read so often. */
function anUnsettledReader(reads: number): ExportReader {
  let left = reads;
  const none = async function* (): AsyncGenerator<never> {};
  return {
    inSnapshot: (read) => read(),
    heads: none,
    sealedHeads: none,
    lastNote: () => Promise.resolve(left-- > 0 ? 'no note' : null),
    keyRotations: () => Promise.resolve([]),
    segment: () => Promise.resolve(null),
    requireAnnounced: () => Promise.resolve(),
    expiryRules: () => Promise.resolve([]),
    entries: none,
  };
}

describe('settledSnapshot', () => {
  it.each([
    { name: 'at once where the checkpoint fits', reads: 0, want: { heads: [], checkpoint: null }, delays: 0 },
    { name: 'when it fits', reads: 3, want: { heads: [], checkpoint: null }, delays: 3 },
    { name: 'nothing where it never fits', reads: Infinity, want: null, delays: 10 },
  ])('reads $name', async ({ reads, want, delays }) => {
    const delayed: number[] = [];
    const delay = (milliseconds: number): Promise<number> => Promise.resolve(delayed.push(milliseconds));
    expect(await settledSnapshot(anUnsettledReader(reads), everything, delay)).toEqual(want);
    expect(delayed).toEqual(Array<number>(delays).fill(500));
  });
});
