import { type ByteReader, type ByteWriter, zigzag } from './byte-buffer.ts';

/** How the values of a column are written; the numbers are part of the format. */
const Encoding = { Absent: 0, Constant: 1, Deltas: 2, SecondDeltas: 3, Doubles: 4 } as const;

/** Set where some values are absent: a bitmap of those that are there follows. */
const hasBitmap = 0x10;

/** Second differences of such values are safe integers, also zigzagged. */
const largestInteger = 2 ** 50;

/** Writes a column of numbers; NaN stands for an absent value, and −0 becomes 0. */
export function encodeColumn(writer: ByteWriter, column: Float64Array): void {
  const present = countPresent(column);
  if (present === 0) {
    writer.byte(Encoding.Absent);
    return;
  }
  const isWhole = present === column.length;
  const values = isWhole ? column : column.filter((value) => !Number.isNaN(value));
  const divisor = isConstant(values) ? constantDivisor(values) : commonDivisor(values);
  const encoding = divisor === null ? Encoding.Doubles : encodingOf(values, divisor);
  writer.byte(isWhole ? encoding : encoding | hasBitmap);
  if (!isWhole) writer.bytes(bitmapOf(column));
  if (divisor === null) for (const value of values) writer.double(value + 0);
  else encodeIntegers(writer, values, { divisor, encoding });
}

/** Reads a column of so many rows. @throws RangeError where the bytes are not those of a column. */
export function decodeColumn(reader: ByteReader, rows: number): Float64Array {
  const kind = reader.byte();
  if (kind === Encoding.Absent) return new Float64Array(rows).fill(Number.NaN);
  if ((kind & hasBitmap) === 0) return decodeValues(reader, kind, new Float64Array(rows));
  const bitmap = reader.bytes(Math.ceil(rows / 8));
  const column = new Float64Array(rows).fill(Number.NaN);
  const places = [...column.keys()].filter((row) => ((bitmap[row >> 3] ?? 0) >> (row & 7)) & 1);
  const values = decodeValues(reader, kind & ~hasBitmap, new Float64Array(places.length));
  for (const [index, place] of places.entries()) column[place] = values[index] ?? Number.NaN;
  return column;
}

function countPresent(column: Float64Array): number {
  let count = 0;
  for (const value of column) if (!Number.isNaN(value)) count += 1;
  return count;
}

function isConstant(values: Float64Array): boolean {
  const [first] = values;
  for (const value of values) if (value !== first) return false;
  return true;
}

/** @returns null: the value is no integer, or too large. */
function constantDivisor([value = 0]: Float64Array): number | null {
  return Number.isSafeInteger(value) && Math.abs(value) <= largestInteger ? 1 : null;
}

function bitmapOf(column: Float64Array): Uint8Array {
  const bitmap = new Uint8Array(Math.ceil(column.length / 8));
  for (const [row, value] of column.entries())
    if (!Number.isNaN(value)) bitmap[row >> 3] = (bitmap[row >> 3] ?? 0) | (1 << (row & 7));
  return bitmap;
}

/**
 * The greatest divisor of all: memory comes in whole pages, and many counts are thousands of milli-units. 1 where all
 * are 0.
 *
 * @returns null: not all of them are integers, or their quotients are too large.
 */
function commonDivisor(values: Float64Array): number | null {
  let divisor = 0;
  let largest = 0;
  for (const value of values) {
    if (!Number.isSafeInteger(value)) return null;
    const magnitude = Math.abs(value);
    if (magnitude > largest) largest = magnitude;
    if (divisor !== 1) divisor = greatestCommonDivisor(divisor, magnitude);
  }
  if (divisor === 0) return 1;
  return largest / divisor > largestInteger ? null : divisor;
}

function greatestCommonDivisor(a: number, b: number): number {
  let [larger, smaller] = [a, b];
  while (smaller !== 0) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}

/** The shortest of the encodings that the values allow. */
function encodingOf(values: Float64Array, divisor: number): number {
  let [deltas, secondDeltas] = [0, 0];
  let value = (values[0] ?? 0) / divisor;
  let delta = 0;
  for (const product of values) {
    const next = product / divisor - value;
    deltas += varintLength(zigzag(next));
    secondDeltas += varintLength(zigzag(next - delta));
    delta = next;
    value += next;
  }
  if (deltas === values.length && isConstant(values)) return Encoding.Constant;
  return secondDeltas < deltas ? Encoding.SecondDeltas : Encoding.Deltas;
}

function varintLength(value: number): number {
  let length = 1;
  for (let limit = 128; value >= limit; limit *= 128) length += 1;
  return length;
}

function encodeIntegers(
  writer: ByteWriter,
  values: Float64Array,
  { divisor, encoding }: { readonly divisor: number; readonly encoding: number },
): void {
  writer.varint(divisor);
  let value = (values[0] ?? 0) / divisor;
  let delta = 0;
  writer.signed(value);
  if (encoding === Encoding.Constant) return;
  for (let at = 1; at < values.length; at += 1) {
    const next = (values[at] ?? 0) / divisor - value;
    writer.signed(encoding === Encoding.SecondDeltas ? next - delta : next);
    delta = next;
    value += next;
  }
}

function decodeValues(reader: ByteReader, encoding: number, values: Float64Array): Float64Array {
  if (encoding === Encoding.Doubles) {
    for (let at = 0; at < values.length; at += 1) values[at] = reader.double();
    return values;
  }
  if (encoding < Encoding.Constant || encoding > Encoding.SecondDeltas)
    throw new RangeError(`the chunk has a column of the unknown encoding ${encoding}`);
  const divisor = reader.varint();
  let value = reader.signed();
  if (encoding === Encoding.Constant) return values.fill(value * divisor);
  const isSecond = encoding === Encoding.SecondDeltas;
  let delta = 0;
  values[0] = value * divisor;
  for (let at = 1; at < values.length; at += 1) {
    delta = isSecond ? delta + reader.signed() : reader.signed();
    value += delta;
    values[at] = value * divisor;
  }
  return values;
}
