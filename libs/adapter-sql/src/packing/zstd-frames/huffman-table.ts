import { BackwardBits, byteAt } from './backward-bits.ts';
import { FrameError } from './frame-error.ts';
import { type DescribedTable, readFseTable, readWeights } from './fse-table.ts';

/** A Huffman tree as a table: by the next bits what they begin with, and how many bits that takes. */
export interface HuffmanTable {
  readonly maximumBits: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
}

/** The format's own limit. */
const maximumCodeBits = 11;
const maximumWeights = 255;
const weightLimits = { maximumLog: 6, maximumSymbol: maximumCodeBits + 1 };

/**
 * Reads the description of a tree.
 *
 * @see RFC 8878, section 4.2.1
 * @throws FrameError
 */
export function readHuffmanTable(bytes: Uint8Array, start: number): DescribedTable<HuffmanTable> {
  const header = byteAt(bytes, start);
  const first = start + 1;
  if (header >= 128) {
    const count = header - 127;
    const weights = Array.from({ length: count }, (_, index) => {
      const pair = byteAt(bytes, first + (index >> 1));
      return index % 2 === 0 ? pair >> 4 : pair & 15;
    });
    return { table: huffmanTableOf(weights), end: first + ((count + 1) >> 1) };
  }
  const { table, end } = readFseTable(bytes, first, weightLimits);
  if (end >= first + header) throw new FrameError('a tree is damaged');
  const bits = new BackwardBits(bytes, end, first + header);
  return { table: huffmanTableOf(readWeights(bits, table, maximumWeights)), end: first + header };
}

/** Of all symbols but the last, whose weight follows from the others. */
function huffmanTableOf(weights: number[]): HuffmanTable {
  const sum = weights.reduce((total, weight) => total + (weight === 0 ? 0 : 1 << (weight - 1)), 0);
  const maximumBits = 32 - Math.clz32(sum);
  const left = (1 << maximumBits) - sum;
  if (sum === 0 || maximumBits > maximumCodeBits || (left & (left - 1)) !== 0)
    throw new FrameError('a tree is damaged');
  weights.push(32 - Math.clz32(left));
  const symbols = new Uint8Array(1 << maximumBits);
  const bits = new Uint8Array(1 << maximumBits);
  let at = 0;
  for (let weight = 1; weight <= maximumBits; weight += 1) {
    for (let symbol = weights.indexOf(weight); symbol >= 0; symbol = weights.indexOf(weight, symbol + 1)) {
      const end = at + (1 << (weight - 1));
      symbols.fill(symbol, at, end);
      bits.fill(maximumBits + 1 - weight, at, end);
      at = end;
    }
  }
  if (at !== symbols.length) throw new FrameError('a tree is damaged');
  return { maximumBits, symbols, bits };
}

/** A part of the literals, which fills `output` from `from` up to `until`. @throws FrameError */
export function decodeLiterals(
  { maximumBits, symbols, bits: lengths }: HuffmanTable,
  bits: BackwardBits,
  { output, from, until }: { readonly output: Uint8Array; readonly from: number; readonly until: number },
): void {
  for (let at = from; at < until; at += 1) {
    const code = bits.peek(maximumBits);
    output[at] = byteAt(symbols, code);
    bits.skip(byteAt(lengths, code));
  }
  if (bits.left !== 0) throw new FrameError('literals are damaged');
}
