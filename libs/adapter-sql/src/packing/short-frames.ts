import { AdapterError } from '#kernel';
import { dictionaryOf } from './dictionaries.ts';
import { type ContentSize, contentSizeOf } from './zstd.ts';
import { decodeFrame, type DecodingDictionary, readDictionary } from './zstd-frames/frame-decoder.ts';
import { FrameError } from './zstd-frames/frame-error.ts';

/**
 * Up to so many bytes a frame is decoded in less time than zlib takes to begin with: 2 to 15 µs in place of 20. Most of
 * what decisions differ by from their bases is as short.
 */
const maximumFrameBytes = 256;

/** Of a frame's descriptor: a checksum, the number of a dictionary, and what has no meaning yet. */
const unknownFlags = 0b0000_1111;

/** A frame as short may say that its content is long. */
const maximumContentBytes = 64 * 1024;

/** Bases without their observation, and most observations, are shorter. */
const maximumBaseCharacters = 32 * 1024;
const bytesPerCharacter = 3;

/** Where frames of a dictionary are decoded: its content stands first, then the base, then the text. */
interface DecodingRoom {
  readonly dictionary: DecodingDictionary;
  readonly bytes: Buffer;
  base: string;
  baseEnd: number;
}

const rooms = new Map<bigint, DecodingRoom>();

/** What a frame is decompressed with. */
export interface ShortUnpacking {
  /** Version of the dictionary. */
  readonly dictionary: bigint;
  /** The same part of the base; none: it was packed without. */
  readonly base: string | null;
}

/**
 * Decompresses a short text at once, in a place of the memory that is used again and again.
 *
 * @returns null where it is not short, is damaged, or its dictionary is not known: whoever decompresses it by zlib is told
 *   what is wrong
 */
export function decompressShort(frame: Uint8Array, { dictionary, base }: ShortUnpacking): string | null {
  const size = shortSizeOf(frame);
  if (size === null || (base !== null && base.length > maximumBaseCharacters)) return null;
  try {
    const room = roomOf(dictionary);
    const from = baseEndOf(room, base ?? '');
    const until = from + size.bytes;
    decodeFrame({ frame, start: size.end, dictionary: room.dictionary, output: room.bytes, from, until });
    return room.bytes.toString('utf8', from, until);
  } catch (error) {
    if (error instanceof FrameError || error instanceof AdapterError) return null;
    throw error;
  }
}

function shortSizeOf(frame: Uint8Array): ContentSize | null {
  const descriptor = frame[4] ?? unknownFlags;
  if (frame.length > maximumFrameBytes || (descriptor & unknownFlags) !== 0) return null;
  const size = contentSizeOf(frame);
  return size === undefined || size.bytes > maximumContentBytes ? null : size;
}

function roomOf(version: bigint): DecodingRoom {
  const known = rooms.get(version);
  if (known !== undefined) return known;
  const dictionary = readDictionary(dictionaryOf(version));
  const { content } = dictionary;
  const bytes = Buffer.alloc(
    content.length + maximumBaseCharacters * bytesPerCharacter + maximumContentBytes,
  );
  bytes.set(content);
  const room = { dictionary, bytes, base: '', baseEnd: content.length };
  rooms.set(version, room);
  return room;
}

/** Entries that follow each other mostly have the same base. */
function baseEndOf(room: DecodingRoom, base: string): number {
  if (room.base === base) return room.baseEnd;
  const { length } = room.dictionary.content;
  room.base = base;
  room.baseEnd = length + room.bytes.write(base, length);
  return room.baseEnd;
}
