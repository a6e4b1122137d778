/** Grows as it is written to. */
export class ByteWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length] = value;
    this.#length += 1;
  }

  bytes(values: Uint8Array): void {
    this.#reserve(values.length);
    this.#bytes.set(values, this.#length);
    this.#length += values.length;
  }

  /** An unsigned LEB128 of an integer from 0 to 2⁵³. */
  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest > 0x7fff_ffff) {
      this.#bytes[this.#length] = (rest % 128) + 128;
      this.#length += 1;
      rest = Math.floor(rest / 128);
    }
    while (rest > 127) {
      this.#bytes[this.#length] = (rest & 127) | 128;
      this.#length += 1;
      rest >>>= 7;
    }
    this.#bytes[this.#length] = rest;
    this.#length += 1;
  }

  /** A varint of the {@link zigzag} of an integer. */
  signed(value: number): void {
    this.varint(zigzag(value));
  }

  double(value: number): void {
    this.#reserve(8);
    new DataView(this.#bytes.buffer).setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** What was written, in memory of its own. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

/** Non-negative integers for signed ones: 0, −1, 1, −2 are 0, 1, 2, 3. */
export function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

/** Reads what {@link ByteWriter} wrote. Every method throws RangeError behind the end. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new RangeError('the chunk ends too early');
    this.#at += 1;
    return value;
  }

  bytes(count: number): Uint8Array {
    if (count > this.remaining) throw new RangeError('the chunk ends too early');
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  varint(): number {
    const first = this.byte();
    if (first < 128) return first;
    let value = first & 127;
    let factor = 128;
    let next: number;
    do {
      next = this.byte();
      value += (next & 127) * factor;
      factor *= 128;
    } while (next > 127);
    if (!Number.isSafeInteger(value)) throw new RangeError('the chunk has a number beyond 2⁵³');
    return value;
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  double(): number {
    const { buffer, byteOffset } = this.bytes(8);
    return new DataView(buffer, byteOffset).getFloat64(0, true);
  }
}
