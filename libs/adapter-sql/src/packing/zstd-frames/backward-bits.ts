/** Behind the last byte that is read so many must follow: bits are taken from four bytes at a time. */
export const paddingBytes = 4;

/** A bitstream of zstd, which is read from its end to its beginning. Bits before the beginning are zero. */
export class BackwardBits {
  readonly #view: DataView;
  readonly #start: number;
  #left: number;

  /** @param bytes with {@link paddingBytes} behind `end` */
  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#start = start;
    // The highest bit that is set marks the end.
    const last = end > start ? byteAt(bytes, end - 1) : 0;
    this.#left = last === 0 ? -1 : (end - start) * 8 + 23 - Math.clz32(last);
  }

  /** How many are not read yet; negative: it is damaged, or more were read than there are. */
  get left(): number {
    return this.#left;
  }

  /** @param count 0 to 24 */
  read(count: number): number {
    this.#left -= count;
    return this.#at(this.#left, count);
  }

  /** The same without going on. */
  peek(count: number): number {
    return this.#at(this.#left - count, count);
  }

  skip(count: number): void {
    this.#left -= count;
  }

  #at(position: number, count: number): number {
    if (position >= 0) {
      const word = this.#view.getUint32(this.#start + (position >>> 3), true);
      return (word >>> (position & 7)) & ((1 << count) - 1);
    }
    const missing = -position;
    if (missing >= count) return 0;
    return (this.#view.getUint32(this.#start, true) & ((1 << (count - missing)) - 1)) << missing;
  }
}

/** Zero where there is none. */
export function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

/** A number of up to six bytes, the lowest first. */
export function numberAt(bytes: Uint8Array, at: number, width: number): number {
  let value = 0;
  for (let index = width - 1; index >= 0; index -= 1) value = value * 256 + byteAt(bytes, at + index);
  return value;
}
