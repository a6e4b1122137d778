import { byteAt, numberAt, paddingBytes } from './backward-bits.ts';
import { appendLiterals, type BlockState, maximumBlock } from './block-state.ts';
import { FrameError } from './frame-error.ts';
import { type FseTable, readFseTable } from './fse-table.ts';
import { type HuffmanTable, readHuffmanTable } from './huffman-table.ts';
import { readLiterals } from './literals.ts';
import { type SequenceCode, sequenceLimits, type SequenceTables } from './sequence-tables.ts';
import { decodeSequences } from './sequences.ts';

/** What frames begin with: their tables, the last three offsets, and the content that matches refer to. */
export interface DecodingDictionary {
  readonly huffman: HuffmanTable;
  readonly tables: SequenceTables;
  readonly offsets: readonly [number, number, number];
  readonly content: Uint8Array;
}

/** A frame, and where its content is decoded to. */
export interface FrameDecoding {
  readonly frame: Uint8Array;
  /** Where its first block is, behind the header. */
  readonly start: number;
  readonly dictionary: DecodingDictionary;
  /** What matches refer to is before `from`; the content fills it up to `until`. */
  readonly output: Uint8Array;
  readonly from: number;
  readonly until: number;
}

/** The magic number of dictionaries, and the number of this one. */
const dictionaryHeaderBytes = 8;
const offsetBytes = 4;

/**
 * Reads a dictionary as zstd makes them.
 *
 * @see RFC 8878, section 5
 * @throws FrameError
 */
export function readDictionary(bytes: Uint8Array): DecodingDictionary {
  const padded = paddedCopy(bytes);
  const { table: huffman, end } = readHuffmanTable(padded, dictionaryHeaderBytes);
  let at = end;
  const next = (code: SequenceCode): FseTable => {
    const described = readFseTable(padded, at, sequenceLimits[code]);
    at = described.end;
    return described.table;
  };
  const tables = { offset: next('offset'), match: next('match'), literals: next('literals') };
  const offsetAt = (index: number): number => numberAt(padded, at + index * offsetBytes, offsetBytes);
  return {
    huffman,
    tables,
    offsets: [offsetAt(0), offsetAt(1), offsetAt(2)],
    content: bytes.subarray(at + 3 * offsetBytes),
  };
}

/**
 * Decodes the blocks of a frame without a checksum, behind its header.
 *
 * @throws FrameError; what is behind `from` in the output may be overwritten
 */
export function decodeFrame({ frame, start, dictionary, output, from, until }: FrameDecoding): void {
  const { huffman, tables, offsets } = dictionary;
  const state: BlockState = {
    ...{ bytes: paddedCopy(frame), output, until, at: from },
    ...{ huffman, tables, offsets: [...offsets] },
  };
  let at = start;
  for (let isLast = false; !isLast;) {
    if (at + blockHeaderBytes > frame.length) throw new FrameError('a frame is cut off');
    const header = numberAt(state.bytes, at, blockHeaderBytes);
    isLast = (header & 1) === 1;
    at = decodeBlock(state, { type: (header >> 1) & 3, from: at + blockHeaderBytes, size: header >> 3 });
  }
  if (at !== frame.length || state.at !== until)
    throw new FrameError('a frame, or its content, has another length than it says');
}

const blockHeaderBytes = 3;

interface Block {
  readonly type: number;
  readonly from: number;
  readonly size: number;
}

/** @returns where the next block begins */
function decodeBlock(state: BlockState, { type, from, size }: Block): number {
  const { bytes } = state;
  if (size > maximumBlock) throw new FrameError('a block is too large');
  switch (type) {
    case 0:
      appendLiterals(state, bytes.subarray(from, from + size));
      return from + size;
    case 1:
      appendLiterals(state, new Uint8Array(size).fill(byteAt(bytes, from)));
      return from + 1;
    case 2:
      decodeCompressed(state, from, from + size);
      return from + size;
    default:
      throw new FrameError('there are no such blocks');
  }
}

function decodeCompressed(state: BlockState, from: number, end: number): void {
  const { literals, end: at } = readLiterals(state, from);
  if (at >= end) throw new FrameError('a block is cut off');
  const { count, width } = sequenceCount(state.bytes, at);
  // Behind no sequences there is nothing, and a number does not go on in the next block.
  if (count === 0 ? at + width !== end : at + width >= end) throw new FrameError('a block is damaged');
  const used = count === 0 ? 0 : decodeSequences(state, literals, { count, from: at + width, end });
  appendLiterals(state, literals.subarray(used));
}

/** How many sequences there are, and how many bytes say so. */
function sequenceCount(bytes: Uint8Array, at: number): { readonly count: number; readonly width: number } {
  const first = byteAt(bytes, at);
  if (first < 128) return { count: first, width: 1 };
  if (first < 255) return { count: ((first - 128) << 8) + byteAt(bytes, at + 1), width: 2 };
  return { count: numberAt(bytes, at + 1, 2) + 0x7f00, width: 3 };
}

function paddedCopy(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(bytes.length + paddingBytes);
  padded.set(bytes);
  return padded;
}
