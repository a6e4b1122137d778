import { type EntryCursor, type LedgerEntry, observationReference, type StoredContent } from '#ledger';
import { databaseError } from '../database-error.ts';
import {
  fillGap,
  type PackedPayload,
  type PayloadParts,
  unpackParts,
  wholeOf,
} from '../packing/packed-payload.ts';
import { bytesOf as packedSizeOf, type PackingBase } from '../packing/payload-packer.ts';
import type { SqlRow } from '../sql-database.ts';
import { bigintOf, bytesOf, parsedColumn, textOf } from './rows.ts';

/** Reads entries as they are stored, without verifying them. Those without a payload are left out. */
export async function entriesOf(rows: readonly SqlRow[]): Promise<readonly LedgerEntry[]> {
  const contents = await contentsOf(rows);
  return rows.flatMap((row, index) => {
    const content = contents[index];
    return content === undefined || 'payloadHash' in content ? [] : [entryOf(row, content)];
  });
}

/** The place of a row in a list. */
export function cursorOf(row: SqlRow): EntryCursor {
  return { timeNanoseconds: bigintOf(row, 'time_nanoseconds'), position: bigintOf(row, 'position') };
}

/** Reads the content of rows with the columns `contentColumns`, each base once. */
export async function contentsOf(rows: readonly SqlRow[]): Promise<readonly StoredContent[]> {
  const bases = new Map<string, Promise<PayloadParts>>();
  return Promise.all(rows.map((row) => contentOf(row, bases)));
}

/** Reads a base with its texts. */
export async function baseOf(row: SqlRow): Promise<PackingBase> {
  const packed = packedOf(row, '');
  return {
    stream: textOf(row, 'stream'),
    seq: bigintOf(row, 'seq'),
    timeNanoseconds: bigintOf(row, 'time_nanoseconds'),
    dictionary: packed.dictionary,
    parts: await unpacked(row, packed, null),
    bytes: packedSizeOf(packed),
  };
}

async function contentOf(row: SqlRow, bases: Map<string, Promise<PayloadParts>>): Promise<StoredContent> {
  if (row['payload_hash'] !== null) return { payloadHash: textOf(row, 'payload_hash') };
  if (row['dictionary'] === null) return { payloadText: textOf(row, 'payload') };
  const parts = await unpacked(row, packedOf(row, ''), await basePartsOf(row, bases));
  return row['observation_hash'] === null
    ? { payloadText: wholeOf(parts) }
    : {
        hashedText: fillGap(
          parts.around,
          JSON.stringify(observationReference(textOf(row, 'observation_hash'))),
        ),
      };
}

function basePartsOf(row: SqlRow, bases: Map<string, Promise<PayloadParts>>): Promise<PayloadParts> | null {
  if (row['base_seq'] === null) return null;
  const id = `${String(row['stream'])}#${String(row['base_seq'])}`;
  let base = bases.get(id);
  if (base === undefined) {
    base = unpacked(row, packedOf(row, 'base_'), null);
    bases.set(id, base);
  }
  return base;
}

function packedOf(row: SqlRow, prefix: '' | 'base_'): PackedPayload {
  return {
    dictionary: bigintOf(row, 'dictionary'),
    packed: bytesOf(row, `${prefix}packed`),
    observation: row[`${prefix}observation`] === null ? null : bytesOf(row, `${prefix}observation`),
  };
}

async function unpacked(
  row: SqlRow,
  packed: PackedPayload,
  base: PayloadParts | null,
): Promise<PayloadParts> {
  try {
    return await unpackParts(packed, base);
  } catch (error) {
    const id = `${String(row['stream'])}#${String(row['seq'])}`;
    throw databaseError('DatabaseCorrupt', `the payload of ${id} cannot be unpacked`, error);
  }
}

function entryOf(
  row: SqlRow,
  content: { readonly payloadText: string } | { readonly hashedText: string },
): LedgerEntry {
  const text = 'payloadText' in content ? content.payloadText : content.hashedText;
  return {
    format: Number(bigintOf(row, 'format')),
    stream: textOf(row, 'stream'),
    seq: bigintOf(row, 'seq'),
    cluster: textOf(row, 'cluster'),
    kind: textOf(row, 'kind'),
    time: textOf(row, 'time'),
    payload: parsedColumn(row, 'payload', text),
    previousHash: textOf(row, 'previous_hash'),
    hash: textOf(row, 'hash'),
  } as LedgerEntry;
}
