import type { SqlRow } from '../connection/sql-database.ts';
import type { KeptBases, PackedBase } from '../packing/kept-bases.ts';
import { decompressShort } from '../packing/short-frames.ts';
import { bigintOf, bytesOf } from '../statements/rows.ts';

/** A part of a row with the columns of contents. */
export interface PackedPart {
  readonly row: SqlRow;
  readonly part: 'packed' | 'observation';
  readonly bases: KeptBases;
}

/** The base that a part is packed with; null: none. @throws AdapterError `DatabaseCorrupt` */
export function baseOfPart({ row, part }: PackedPart): PackedBase | null {
  if (row['base_seq'] === null || row[`base_${part}`] === null) return null;
  return {
    id: `${part} ${String(row['base_seq'])} ${String(row['stream'])}`,
    dictionary: bigintOf(row, 'dictionary'),
    packed: bytesOf(row, `base_${part}`),
  };
}

/** The text of a part at once; null: it, or its base, is long or damaged. */
export function shortPartOf(part: PackedPart): string | null {
  const { row, bases } = part;
  const base = baseOfPart(part);
  const dictionary = bigintOf(row, 'dictionary');
  const bytes = bytesOf(row, part.part);
  if (base === null) return decompressShort(bytes, { dictionary, base: null });
  const kept = bases.find(base);
  const text = kept ?? decompressShort(base.packed, { dictionary, base: null });
  if (text === null) return null;
  if (kept === undefined) bases.keep(base, text);
  return decompressShort(bytes, { dictionary, base: text });
}
