import { BackwardBits, byteAt } from './backward-bits.ts';
import { appendLiterals, appendMatch, type BlockState } from './block-state.ts';
import { FrameError } from './frame-error.ts';
import { type FseTable, readFseTable, repeatedSymbol, stateAfter } from './fse-table.ts';
import {
  type Lengths,
  literalsLengths,
  matchLengths,
  predefinedTables,
  type SequenceCode,
  sequenceLimits,
} from './sequence-tables.ts';

/** 16 MB: larger offsets are of no window that is decoded here. */
const maximumOffsetCode = 24;

/** Bits of the modes that have no meaning yet: zlib takes none of them either. */
const reservedModes = 0b11;

/** Of a block. */
export interface SequenceSection {
  /** At least one. */
  readonly count: number;
  /** Where their tables are described. */
  readonly from: number;
  readonly end: number;
}

/**
 * Decodes the sequences of a block: each copies some literals, and then some of what was decoded before.
 *
 * @see RFC 8878, section 3.1.1.3.2
 * @returns how many of the literals were used
 * @throws FrameError
 */
export function decodeSequences(
  state: BlockState,
  literals: Uint8Array,
  { count, from, end }: SequenceSection,
): number {
  const bitsFrom = readTables(state, from);
  const { tables } = state;
  const bits = new BackwardBits(state.bytes, bitsFrom, end);
  let literalsState = bits.read(tables.literals.accuracyLog);
  let offsetState = bits.read(tables.offset.accuracyLog);
  let matchState = bits.read(tables.match.accuracyLog);
  let used = 0;
  for (let left = count; left > 0; left -= 1) {
    const offsetCode = byteAt(tables.offset.symbols, offsetState);
    if (offsetCode > maximumOffsetCode) throw new FrameError('an offset is too large');
    const offsetValue = (1 << offsetCode) + bits.read(offsetCode);
    const length = lengthOf(matchLengths, byteAt(tables.match.symbols, matchState), bits);
    const unused = lengthOf(literalsLengths, byteAt(tables.literals.symbols, literalsState), bits);
    if (left > 1) {
      literalsState = stateAfter(tables.literals, literalsState, bits);
      matchState = stateAfter(tables.match, matchState, bits);
      offsetState = stateAfter(tables.offset, offsetState, bits);
    }
    if (bits.left < 0 || used + unused > literals.length) throw new FrameError('sequences are cut off');
    if (unused > 0) appendLiterals(state, literals.subarray(used, used + unused));
    used += unused;
    appendMatch(state, offsetOf(offsetValue, unused === 0, state.offsets), length);
  }
  if (bits.left !== 0) throw new FrameError('sequences are damaged');
  return used;
}

function lengthOf({ bases, bits: widths }: Lengths, code: number, bits: BackwardBits): number {
  return (bases[code] ?? 0) + bits.read(byteAt(widths, code));
}

/** @returns where the bits begin */
function readTables(state: BlockState, from: number): number {
  const modes = byteAt(state.bytes, from);
  if ((modes & reservedModes) !== 0) throw new FrameError('sequences have a form that is not known');
  let at = from + 1;
  const next = (code: SequenceCode, mode: number): FseTable => {
    const { table, end } = readTable(state, code, { mode, at });
    at = end;
    return table;
  };
  state.tables = {
    literals: next('literals', modes >> 6),
    offset: next('offset', (modes >> 4) & 3),
    match: next('match', (modes >> 2) & 3),
  };
  return at;
}

function readTable(
  { bytes, tables }: BlockState,
  code: SequenceCode,
  { mode, at }: { readonly mode: number; readonly at: number },
): { readonly table: FseTable; readonly end: number } {
  if (mode === 0) return { table: predefinedTables[code], end: at };
  if (mode === 2) return readFseTable(bytes, at, sequenceLimits[code]);
  if (mode === 3) return { table: tables[code], end: at };
  const symbol = byteAt(bytes, at);
  if (symbol > sequenceLimits[code].maximumSymbol) throw new FrameError('a code is not known');
  return { table: repeatedSymbol(symbol), end: at + 1 };
}

/** The last three offsets have short names. @see RFC 8878, section 3.1.1.5 */
function offsetOf(value: number, isWithoutLiterals: boolean, offsets: BlockState['offsets']): number {
  const [first, second, third] = offsets;
  if (value > 3) return remember(offsets, [value - 3, first, second]);
  const index = isWithoutLiterals ? value : value - 1;
  if (index === 0) return first;
  if (index === 1) return remember(offsets, [second, first, third]);
  return remember(offsets, [index === 2 ? third : first - 1, first, second]);
}

function remember(offsets: BlockState['offsets'], [first, second, third]: BlockState['offsets']): number {
  offsets[0] = first;
  offsets[1] = second;
  offsets[2] = third;
  return first;
}
