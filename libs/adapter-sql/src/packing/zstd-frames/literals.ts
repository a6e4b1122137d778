import { BackwardBits, byteAt, numberAt, paddingBytes } from './backward-bits.ts';
import { type BlockState, maximumBlock } from './block-state.ts';
import { FrameError } from './frame-error.ts';
import { decodeLiterals, type HuffmanTable, readHuffmanTable } from './huffman-table.ts';

/** The literals of a block, and where its sequences begin. */
export interface Literals {
  readonly literals: Uint8Array;
  readonly end: number;
}

/**
 * Reads the literals of a block.
 *
 * @see RFC 8878, section 3.1.1.3.1
 * @throws FrameError
 */
export function readLiterals(state: BlockState, from: number): Literals {
  const { bytes } = state;
  const header = byteAt(bytes, from);
  const [type, form] = [header & 3, (header >> 2) & 3];
  if (type >= 2) return readPackedLiterals(state, { from, form, hasTree: type === 2 });
  const width = plainHeaderBytes[form] ?? 1;
  const size = numberAt(bytes, from, width) >> (width === 1 ? 3 : 4);
  if (size > maximumBlock) throw new FrameError('literals are too long');
  const at = from + width;
  return type === 0
    ? { literals: bytes.subarray(at, at + size), end: at + size }
    : { literals: new Uint8Array(size).fill(byteAt(bytes, at)), end: at + 1 };
}

/** By the form of sizes: how many bytes a header takes, and, of packed literals, how many bits each size. */
const plainHeaderBytes = [1, 2, 1, 3];
const packedHeaderBytes = [3, 3, 4, 5];
const packedSizeBits = [10, 10, 14, 18];

interface PackedHeader {
  readonly from: number;
  readonly form: number;
  /** Whether a tree is described; else it is that of the block before, or of the dictionary. */
  readonly hasTree: boolean;
}

function readPackedLiterals(state: BlockState, { from, form, hasTree }: PackedHeader): Literals {
  const { bytes } = state;
  const headerBytes = packedHeaderBytes[form] ?? 0;
  const sizeRange = 2 ** (packedSizeBits[form] ?? 0);
  // More bits than are shifted.
  const sizes = Math.floor(numberAt(bytes, from, headerBytes) / 16);
  const size = sizes % sizeRange;
  const at = from + headerBytes;
  const end = at + (Math.floor(sizes / sizeRange) % sizeRange);
  if (size > maximumBlock || end > bytes.length - paddingBytes) throw new FrameError('literals are cut off');
  const { table, end: streams } = hasTree ? readHuffmanTable(bytes, at) : { table: state.huffman, end: at };
  if (table === null) throw new FrameError('there is no tree');
  state.huffman = table;
  const literals = new Uint8Array(size);
  const parts = form === 0 ? [{ from: streams, until: end }] : partsBetween(bytes, streams, end);
  decodeParts(table, { bytes, literals, parts });
  return { literals, end };
}

interface Stretch {
  readonly from: number;
  readonly until: number;
}

/** Four streams; the lengths of the first three stand before them. */
function partsBetween(bytes: Uint8Array, from: number, end: number): readonly Stretch[] {
  const parts: Stretch[] = [];
  let at = from + 6;
  for (const place of [0, 2, 4]) {
    const until = at + numberAt(bytes, from + place, 2);
    parts.push({ from: at, until });
    at = until;
  }
  if (at >= end) throw new FrameError('literals are cut off');
  return [...parts, { from: at, until: end }];
}

/** Each part has as many literals, and the last one what is left. */
function decodeParts(
  table: HuffmanTable,
  {
    bytes,
    literals,
    parts,
  }: { readonly bytes: Uint8Array; readonly literals: Uint8Array; readonly parts: readonly Stretch[] },
): void {
  const { length } = literals;
  const share = Math.ceil(length / parts.length);
  for (const [index, part] of parts.entries()) {
    const [from, until] = [Math.min(length, index * share), Math.min(length, (index + 1) * share)];
    decodeLiterals(table, new BackwardBits(bytes, part.from, part.until), { output: literals, from, until });
  }
}
