import { FrameError } from './frame-error.ts';
import type { HuffmanTable } from './huffman-table.ts';
import type { SequenceTables } from './sequence-tables.ts';

/** What a block is decoded with, and leaves to the next one. */
export interface BlockState {
  /** The frame, with padding behind. */
  readonly bytes: Uint8Array;
  readonly output: Uint8Array;
  /** Where the content of the frame ends in the output. */
  readonly until: number;
  /** Where the next byte goes. */
  at: number;
  huffman: HuffmanTable | null;
  tables: SequenceTables;
  /** The last three. */
  readonly offsets: [number, number, number];
}

/** The format's own limit. */
export const maximumBlock = 128 * 1024;

/** Up to so many bytes, copying them one by one is faster than a call. */
const shortMatch = 48;

/** @throws FrameError where they are more than the content has room for */
export function appendLiterals(state: BlockState, literals: Uint8Array): void {
  const { output, at } = state;
  const end = at + literals.length;
  if (end > state.until) throw new FrameError('there are too many literals');
  if (literals.length > shortMatch) output.set(literals, at);
  else for (let index = 0; index < literals.length; index += 1) output[at + index] = literals[index] ?? 0;
  state.at = end;
}

/** Copies what was decoded before. Where both overlap, what was copied is copied again. @throws FrameError */
export function appendMatch(state: BlockState, offset: number, length: number): void {
  const { output, at } = state;
  const from = at - offset;
  const end = at + length;
  if (offset < 1 || from < 0 || end > state.until) throw new FrameError('a match is out of reach');
  if (offset >= length && length > shortMatch) output.copyWithin(at, from, from + length);
  else for (let index = at; index < end; index += 1) output[index] = output[index - offset] ?? 0;
  state.at = end;
}
