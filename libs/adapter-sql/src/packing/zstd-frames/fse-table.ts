import { type BackwardBits, byteAt, numberAt } from './backward-bits.ts';
import { FrameError } from './frame-error.ts';

/** A table of finite-state entropy: what each state stands for, and what follows it. */
export interface FseTable {
  readonly accuracyLog: number;
  readonly symbols: Uint8Array;
  /** How many bits the next state takes, and what is added to them. */
  readonly bits: Uint8Array;
  readonly bases: Uint16Array;
}

/** The state that follows another. */
export function stateAfter({ bases, bits: widths }: FseTable, state: number, bits: BackwardBits): number {
  return (bases[state] ?? 0) + bits.read(byteAt(widths, state));
}

/** A table of one symbol, which takes no bits. */
export function repeatedSymbol(symbol: number): FseTable {
  return {
    accuracyLog: 0,
    symbols: Uint8Array.of(symbol),
    bits: Uint8Array.of(0),
    bases: Uint16Array.of(0),
  };
}

/**
 * Makes a table of how often each symbol occurs; -1 stands for less than once.
 *
 * @see RFC 8878, section 4.1.1
 * @throws FrameError
 */
export function fseTableOf(counts: readonly number[], accuracyLog: number): FseTable {
  const size = 1 << accuracyLog;
  const symbols = new Uint8Array(size);
  const next = counts.map((count) => (count === -1 ? 1 : count));
  let high = size;
  counts.forEach((count, symbol) => {
    if (count === -1) symbols[(high -= 1)] = symbol;
  });
  const step = (size >> 1) + (size >> 3) + 3;
  let at = 0;
  counts.forEach((count, symbol) => {
    for (let index = 0; index < count; index += 1) {
      symbols[at] = symbol;
      do at = (at + step) & (size - 1);
      while (at >= high);
    }
  });
  if (at !== 0) throw new FrameError('a table does not fill its states');
  return { accuracyLog, symbols, ...followingStates(symbols, next, accuracyLog) };
}

function followingStates(
  symbols: Uint8Array,
  next: number[],
  accuracyLog: number,
): Pick<FseTable, 'bits' | 'bases'> {
  const bits = new Uint8Array(symbols.length);
  const bases = new Uint16Array(symbols.length);
  symbols.forEach((symbol, state) => {
    const occurrence = next[symbol] ?? 0;
    next[symbol] = occurrence + 1;
    const width = accuracyLog - 31 + Math.clz32(occurrence);
    bits[state] = width;
    bases[state] = (occurrence << width) - symbols.length;
  });
  return { bits, bases };
}

/** A table, and where its description ended. */
export interface DescribedTable<T> {
  readonly table: T;
  readonly end: number;
}

/** How large a table may be. */
export interface FseLimits {
  readonly maximumLog: number;
  readonly maximumSymbol: number;
}

/** Reads the description of a table. @throws FrameError */
export function readFseTable(
  bytes: Uint8Array,
  start: number,
  { maximumLog, maximumSymbol }: FseLimits,
): DescribedTable<FseTable> {
  const bits = new ForwardBits(bytes, start);
  const accuracyLog = bits.read(4) + 5;
  if (accuracyLog > maximumLog) throw new FrameError('a table is too large');
  const counts: number[] = [];
  let remaining = 1 << accuracyLog;
  while (remaining > 0) {
    const count = readCount(bits, remaining);
    remaining -= Math.abs(count);
    counts.push(count);
    if (count === 0) pushZeros(bits, counts, maximumSymbol);
    if (counts.length > maximumSymbol + 1) throw new FrameError('a table has too many symbols');
  }
  if (remaining < 0) throw new FrameError('a table is damaged');
  return { table: fseTableOf(counts, accuracyLog), end: bits.end };
}

/** Small values take a bit less. */
function readCount(bits: ForwardBits, remaining: number): number {
  const width = 32 - Math.clz32(remaining + 1);
  const value = bits.read(width);
  const low = value & ((1 << (width - 1)) - 1);
  const threshold = (1 << width) - 2 - remaining;
  if (low < threshold) {
    bits.back();
    return low - 1;
  }
  return (value === low ? value : value - threshold) - 1;
}

function pushZeros(bits: ForwardBits, counts: number[], maximumSymbol: number): void {
  for (let zeros = 3; zeros === 3 && counts.length <= maximumSymbol;) {
    zeros = bits.read(2);
    for (let index = 0; index < zeros; index += 1) counts.push(0);
  }
}

class ForwardBits {
  readonly #bytes: Uint8Array;
  #position: number;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.#position = start * 8;
  }

  /** The byte behind the last one that a bit was read of. */
  get end(): number {
    return (this.#position + 7) >>> 3;
  }

  /** @param count up to 16 */
  read(count: number): number {
    const word = numberAt(this.#bytes, this.#position >>> 3, 3);
    const value = (word >>> (this.#position & 7)) & ((1 << count) - 1);
    this.#position += count;
    return value;
  }

  back(): void {
    this.#position -= 1;
  }
}

/** Reads the weights of a Huffman tree, which two states in turn stand for. @throws FrameError */
export function readWeights(bits: BackwardBits, table: FseTable, maximum: number): number[] {
  const weights: number[] = [];
  let state = bits.read(table.accuracyLog);
  let other = bits.read(table.accuracyLog);
  for (;;) {
    if (bits.left < 0 || weights.length > maximum) throw new FrameError('weights are damaged');
    weights.push(byteAt(table.symbols, state));
    const following = stateAfter(table, state, bits);
    if (bits.left < 0) {
      weights.push(byteAt(table.symbols, other));
      return weights;
    }
    [state, other] = [other, following];
  }
}
