import type { SqlRow } from '../connection/sql-database.ts';
import { bigintOf } from '../statements/rows.ts';

/**
 * Payloads are read in portions of about this size: a single one may be of 32 MB. Until they are collected, a reader of large
 * ones holds some dozens of portions.
 */
export const bytesPerPortion = 1 * 1024 * 1024;

/** What a packed payload grows to is not known before; decisions grow about twentyfold. */
const unpackedGrowth = 20;
/** In SQL. */
export const unpackedSize = `${unpackedGrowth} * (COALESCE(octet_length(packed), 0) + COALESCE(octet_length(observation), 0))`;

/** The last number of each portion, of rows with `seq` and `size`. */
export function portionEnds(sizes: readonly SqlRow[]): readonly bigint[] {
  const ends: bigint[] = [];
  let bytes = 0;
  for (const [index, row] of sizes.entries()) {
    bytes += Number(bigintOf(row, 'size'));
    if (bytes < bytesPerPortion && index < sizes.length - 1) continue;
    ends.push(bigintOf(row, 'seq'));
    bytes = 0;
  }
  return ends;
}

/** Says of each row in turn whether a portion is full with it. */
export function portionFilled(): (row: SqlRow) => boolean {
  let bytes = 0;
  return (row) => {
    const packed = lengthOf(row['packed']) + lengthOf(row['observation']);
    bytes += lengthOf(row['payload']) + unpackedGrowth * packed;
    return bytes >= bytesPerPortion;
  };
}

function lengthOf(value: SqlRow[string] | undefined): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
}
