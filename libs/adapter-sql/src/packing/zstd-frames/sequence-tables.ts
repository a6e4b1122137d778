import { type FseLimits, type FseTable, fseTableOf } from './fse-table.ts';

/** What a sequence consists of. */
export type SequenceCode = 'literals' | 'offset' | 'match';

/** A table for each of the codes. */
export type SequenceTables = Readonly<Record<SequenceCode, FseTable>>;

export const sequenceLimits: Readonly<Record<SequenceCode, FseLimits>> = {
  literals: { maximumLog: 9, maximumSymbol: 35 },
  offset: { maximumLog: 8, maximumSymbol: 31 },
  match: { maximumLog: 9, maximumSymbol: 52 },
};

/** @see RFC 8878, section 3.1.1.3.2.1.1 */
const literalsBits = [
  ...repeated(0, 16),
  ...[1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
];
const matchBits = [
  ...repeated(0, 32),
  ...[1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
];

/** By code: how many bits follow it, and what they are added to. */
export interface Lengths {
  readonly bits: Uint8Array;
  readonly bases: Uint32Array;
}

export const literalsLengths = lengthsOf(literalsBits, 0);
export const matchLengths = lengthsOf(matchBits, 3);

/** Each code goes on where the one before it ends. */
function lengthsOf(bits: readonly number[], first: number): Lengths {
  let next = first;
  const bases = bits.map((count) => {
    const base = next;
    next += 2 ** count;
    return base;
  });
  return { bits: Uint8Array.from(bits), bases: Uint32Array.from(bases) };
}

/** @see RFC 8878, section 3.1.1.3.2.2 */
export const predefinedTables: SequenceTables = {
  literals: fseTableOf(
    [4, 3, ...repeated(2, 11), 1, 1, 1, ...repeated(2, 9), 3, 2, ...repeated(1, 5), ...repeated(-1, 4)],
    6,
  ),
  offset: fseTableOf([...repeated(1, 6), 2, 2, 2, ...repeated(1, 15), ...repeated(-1, 5)], 5),
  match: fseTableOf([1, 4, 3, ...repeated(2, 6), ...repeated(1, 37), ...repeated(-1, 7)], 6),
};

function repeated(value: number, times: number): readonly number[] {
  return Array.from({ length: times }, () => value);
}
