import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';
import { isJsonObject } from '#kernel';

/**
 * How hard is tried, measured on decisions: `Small` makes what differs from a base a quarter smaller than `Quick`, in
 * twice the time (97 and 46 µs), and what has none, as a policy's first decision, a twelfth. The levels after it take ten
 * times as long.
 */
const levels = { Small: 9, Quick: 1 };

/** What {@link compress} saves: bytes or time. */
export type Effort = keyof typeof levels;

/** Above the longest payload in UTF-8, so that a damaged length does not take the memory. */
const maximumOutputLength = 128 * 1024 * 1024;

/** A few milliseconds. */
const maximumLengthNow = 8 * 1024 * 1024;

/** A fraction of a millisecond. */
const maximumBytesAtOnce = 16 * 1024;
const maximumTextAtOnce = 256 * 1024;

/** About a millisecond. */
const maximumTogether = 1024 * 1024;

/** What a short text is compressed to. */
const smallChunk = 4 * 1024;

/** Texts are compressed at once for so long before the event loop serves what else waits. */
const sliceMilliseconds = 10;

/** What uses the same threads, such as file access and name resolution, keeps half of the default four. */
const maximumRunning = 2;

const compressInPool = promisify(zstdCompress);
const decompressInPool = promisify(zstdDecompress);

/**
 * Compresses short texts at once, which takes a third of the CPU time of the way through another thread, and the others
 * in libuv's threads, so that the event loop goes on.
 */
export async function compress(
  text: string,
  dictionary: Uint8Array,
  effort: Effort = 'Small',
): Promise<Uint8Array> {
  // A checksum is not needed, as every entry has a hash; the number of the dictionary is stored beside.
  const params = {
    [constants.ZSTD_c_compressionLevel]: levels[effort],
    [constants.ZSTD_c_checksumFlag]: 0,
    [constants.ZSTD_c_dictIDFlag]: 0,
  };
  const bytes = Buffer.from(text);
  // Without the size, tables of some 30 MB are prepared for each text, however short it is.
  const options = { dictionary, params, pledgedSrcSize: bytes.length };
  if (bytes.length > maximumBytesAtOnce) return exact(await inTurn(() => compressInPool(bytes, options)));
  return inSlice(() => exact(zstdCompressSync(bytes, { ...options, chunkSize: smallChunk })));
}

/**
 * A copy with memory of its own. What zlib returns is a view of a buffer of 64 kB, and the whole of that is copied with
 * the view to the thread that writes.
 */
function exact(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

let sliceStart = 0;
let turn: Promise<void> | null = null;

async function inSlice<T>(run: () => T): Promise<T> {
  while (performance.now() - sliceStart >= sliceMilliseconds) {
    turn ??= nextTurn().then(() => {
      turn = null;
      sliceStart = performance.now();
    });
    await turn;
  }
  return run();
}

/**
 * Decompresses short texts at once, which takes some 20 µs in place of 150 in another thread, and the others in libuv's
 * threads. The dictionary is read before this returns.
 *
 * @throws Error where the bytes are not those of {@link compress} with this dictionary.
 */
export async function decompress(bytes: Uint8Array, dictionary: Uint8Array): Promise<string> {
  const text = decompressAtOnce(bytes, dictionary);
  if (text !== null) return text;
  const options = { dictionary: exact(dictionary), maxOutputLength: maximumOutputLength };
  return (await inTurn(() => decompressInPool(bytes, options))).toString();
}

/**
 * Decompresses frames with one dictionary by one call: what a call prepares takes several times as long as a short text.
 *
 * @returns null where a frame does not say how long its content is, is damaged, or all of them are long: then they are
 *   decompressed one by one
 */
export function decompressTogether(
  frames: readonly Uint8Array[],
  dictionary: Uint8Array,
): readonly string[] | null {
  const ends: number[] = [];
  let end = 0;
  for (const frame of frames) {
    end += contentSizeOf(frame)?.bytes ?? Number.POSITIVE_INFINITY;
    ends.push(end);
  }
  if (end > maximumTogether) return null;
  const options = { dictionary, maxOutputLength: maximumTogether, chunkSize: end + roomBehind };
  try {
    const content = zstdDecompressSync(Buffer.concat(frames), options);
    if (content.length !== end) return null;
    return ends.map((at, index) => content.toString('utf8', ends[index - 1] ?? 0, at));
  } catch {
    return null;
  }
}

/** Null: it is longer than what is decompressed at once. */
function decompressAtOnce(bytes: Uint8Array, dictionary: Uint8Array): string | null {
  if (bytes.length > maximumBytesAtOnce) return null;
  try {
    const chunkSize = Math.min((contentSizeOf(bytes)?.bytes ?? smallChunk) + roomBehind, maximumTextAtOnce);
    return zstdDecompressSync(bytes, {
      dictionary,
      maxOutputLength: maximumTextAtOnce,
      chunkSize,
    }).toString();
  } catch (error) {
    // By its code alone: under Jest it is a RangeError of another realm.
    if (isJsonObject(error) && error['code'] === 'ERR_BUFFER_TOO_LARGE') return null;
    throw error;
  }
}

/** An output that is full makes another one; zlib wants 64 bytes at least. */
const roomBehind = 64;

/** What the header of a frame says. */
export interface ContentSize {
  readonly bytes: number;
  /** Where the header ends. */
  readonly end: number;
}

/**
 * How long the content of a frame is, where its header says so: then the output has room for exactly that.
 *
 * @see RFC 8878, section 3.1.1.1
 */
export function contentSizeOf(frame: Uint8Array): ContentSize | undefined {
  const descriptor = frame[4];
  if (descriptor === undefined || !isCompressed(frame)) return undefined;
  const isSingleSegment = (descriptor & 0b10_0000) !== 0;
  const sizeFlag = descriptor >> 6;
  const at = magic.length + 1 + (isSingleSegment ? 0 : 1) + (dictionaryIdBytes[descriptor & 0b11] ?? 0);
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (frame.length < at + 4) return undefined;
  if (sizeFlag === 0) return isSingleSegment ? { bytes: view.getUint8(at), end: at + 1 } : undefined;
  if (sizeFlag === 1) return { bytes: view.getUint16(at, true) + 256, end: at + 2 };
  return sizeFlag === 2 ? { bytes: view.getUint32(at, true), end: at + 4 } : undefined;
}

const dictionaryIdBytes = [0, 1, 2, 4];

/** What frames of zstd begin with. */
const magic = [0x28, 0xb5, 0x2f, 0xfd];

/** Whether bytes are those of {@link compressNow}. */
export function isCompressed(bytes: Uint8Array): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

/** A frame without a dictionary, at once: for a few kB that takes less than the way to another thread. */
export function compressNow(bytes: Uint8Array): Uint8Array {
  return exact(zstdCompressSync(bytes, { pledgedSrcSize: bytes.length, chunkSize: smallChunk }));
}

/** @throws Error where the bytes are no frame of zstd, or too long for being read at once. */
export function decompressNow(bytes: Uint8Array): Uint8Array {
  return zstdDecompressSync(bytes, { maxOutputLength: maximumLengthNow });
}

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(run: () => Promise<T>): Promise<T> {
  if (running >= maximumRunning) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await run();
  } finally {
    // The place goes to the next in line, or is free.
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}
