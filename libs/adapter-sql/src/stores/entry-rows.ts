import { AdapterError } from '#kernel';
import { type EntryCursor, type LedgerEntry, observationReference, type StoredContent } from '#ledger';
import { databaseError } from '../database-error.ts';
import { loopClock } from '../loop-clock.ts';
import { BaseDictionaries } from '../packing/base-dictionaries.ts';
import {
  fillGap,
  type PackedPayload,
  unpackPart,
  unpackParts,
  unpackTogether,
  wholeOf,
  withBase,
} from '../packing/packed-payload.ts';
import { bytesOf as packedSizeOf, type PackingBase } from '../packing/payload-packer.ts';
import type { SqlRow } from '../sql-database.ts';
import { bigintOf, bytesOf, parsedColumn, textOf } from './rows.ts';

/** How rows are read. */
export interface RowReading {
  /** Where bases that were read are found again; by default only those of these rows. */
  readonly bases?: BaseDictionaries;
  /** Whether observations are left out: `input.observation` is null. */
  readonly isWithoutObservations?: boolean;
  /** Whether a payload that cannot be unpacked is read as `{}`, which gives no hash of an entry; else it is an error. */
  readonly isDamageRead?: boolean;
}

/** As many are unpacked before the loop serves whatever else waits: a few milliseconds. */
const rowsPerTurn = 64;

/** An entry, and how long the text of its payload is. */
export interface MeasuredEntry {
  readonly entry: LedgerEntry;
  readonly characters: number;
}

/** Reads entries as they are stored, without verifying them. Those without a payload are left out. */
export async function entriesOf(
  rows: readonly SqlRow[],
  reading: RowReading = {},
): Promise<readonly LedgerEntry[]> {
  return (await measuredEntriesOf(rows, reading)).map(({ entry }) => entry);
}

/** The same, with the lengths of their texts. */
export async function measuredEntriesOf(
  rows: readonly SqlRow[],
  reading: RowReading = {},
): Promise<readonly MeasuredEntry[]> {
  const contents = await contentsOf(rows, reading);
  return rows.flatMap((row, index) => {
    const content = contents[index];
    if (content === undefined || 'payloadHash' in content) return [];
    const text = 'payloadText' in content ? content.payloadText : content.hashedText;
    return [{ entry: entryOf(row, text), characters: text.length }];
  });
}

/** The place of a row in a list. */
export function cursorOf(row: SqlRow): EntryCursor {
  return { timeNanoseconds: bigintOf(row, 'time_nanoseconds'), position: bigintOf(row, 'position') };
}

/** Reads the content of rows with the columns `contentColumns`, each base once. */
export async function contentsOf(
  rows: readonly SqlRow[],
  { bases = new BaseDictionaries(), isWithoutObservations = false, isDamageRead = false }: RowReading = {},
): Promise<readonly StoredContent[]> {
  const contents: StoredContent[] = [];
  for (let start = 0; start < rows.length; start += rowsPerTurn) {
    if (start > 0) await loopClock.nextTurn();
    const part = rows.slice(start, start + rowsPerTurn);
    const unpackedTexts = await unpackedTogether(part, bases);
    contents.push(
      ...(await Promise.all(
        part.map((row) => {
          const content = contentOf(row, { bases, isWithoutObservations, around: unpackedTexts.get(row) });
          return isDamageRead ? content.catch(readDamage) : content;
        }),
      )),
    );
  }
  return contents;
}

/** Reads bases with their texts. */
export async function basesOf(rows: readonly SqlRow[]): Promise<readonly PackingBase[]> {
  const bases: PackingBase[] = [];
  for (let start = 0; start < rows.length; start += rowsPerTurn) {
    if (start > 0) await loopClock.nextTurn();
    bases.push(...(await Promise.all(rows.slice(start, start + rowsPerTurn).map(baseOf))));
  }
  return bases;
}

async function baseOf(row: SqlRow): Promise<PackingBase> {
  const packed = packedOf(row, '');
  return {
    stream: textOf(row, 'stream'),
    seq: bigintOf(row, 'seq'),
    timeNanoseconds: bigintOf(row, 'time_nanoseconds'),
    dictionary: packed.dictionary,
    parts: await unpacked(row, () => unpackParts(packed, null)),
    bytes: packedSizeOf(packed),
  };
}

function readDamage(error: unknown): StoredContent {
  if (error instanceof AdapterError && error.code === 'DatabaseCorrupt') return { payloadText: '{}' };
  throw error;
}

/**
 * The texts around observations, by their rows, those with one base by one call. What cannot be unpacked so, and what stands
 * alone, is left out: it is unpacked, or found to be damaged, by itself.
 */
async function unpackedTogether(
  rows: readonly SqlRow[],
  bases: BaseDictionaries,
): Promise<ReadonlyMap<SqlRow, string>> {
  const groups = new Map<Uint8Array, SqlRow[]>();
  for (const row of rows) {
    if (row['dictionary'] === null || row['payload_hash'] !== null) continue;
    const dictionary = await dictionaryOfRow(row, 'packed', bases).catch(() => null);
    if (dictionary === null) continue;
    const group = groups.get(dictionary);
    if (group === undefined) groups.set(dictionary, [row]);
    else group.push(row);
  }
  const texts = new Map<SqlRow, string>();
  for (const [dictionary, group] of groups) {
    if (group.length === 1) continue;
    const unpacked = unpackTogether(
      group.map((row) => bytesOf(row, 'packed')),
      dictionary,
    );
    unpacked?.forEach((text, index) => texts.set(group[index] ?? {}, text));
  }
  return texts;
}

interface ContentReading extends Required<Omit<RowReading, 'isDamageRead'>> {
  /** The text around the observation; undefined: it is not unpacked. */
  readonly around: string | undefined;
}

async function contentOf(row: SqlRow, reading: ContentReading): Promise<StoredContent> {
  if (row['payload_hash'] !== null) return { payloadHash: textOf(row, 'payload_hash') };
  if (row['dictionary'] === null) return { payloadText: textOf(row, 'payload') };
  const { packed, observation } = packedOf(row, '');
  const around = reading.around ?? (await partOf(row, { part: 'packed', bytes: packed, ...reading }));
  if (row['observation_hash'] !== null) {
    const reference = JSON.stringify(observationReference(textOf(row, 'observation_hash')));
    return { hashedText: fillGap(around, reference) };
  }
  if (observation === null) return { payloadText: around };
  if (reading.isWithoutObservations) return { hashedText: fillGap(around, 'null') };
  const text = await partOf(row, { part: 'observation', bytes: observation, ...reading });
  return { payloadText: wholeOf({ around, observation: text }) };
}

interface PackedPart {
  readonly part: 'packed' | 'observation';
  readonly bytes: Uint8Array;
  readonly bases: BaseDictionaries;
}

/** A part of a payload, with that of its base where it is packed with one. */
function partOf(row: SqlRow, { part, bytes, bases }: PackedPart): Promise<string> {
  return unpacked(row, async () => unpackPart(bytes, await dictionaryOfRow(row, part, bases)));
}

/** What a part is unpacked with. The same for all that have the same base. */
async function dictionaryOfRow(
  row: SqlRow,
  part: PackedPart['part'],
  bases: BaseDictionaries,
): Promise<Uint8Array> {
  const dictionary = bigintOf(row, 'dictionary');
  if (row['base_seq'] === null || row[`base_${part}`] === null) return withBase(dictionary, null);
  const packedBase = bytesOf(row, `base_${part}`);
  return bases.read(dictionary, packedBase, async () =>
    withBase(dictionary, await unpackPart(packedBase, withBase(dictionary, null))),
  );
}

function packedOf(row: SqlRow, prefix: '' | 'base_'): PackedPayload {
  return {
    dictionary: bigintOf(row, 'dictionary'),
    packed: bytesOf(row, `${prefix}packed`),
    observation: row[`${prefix}observation`] === null ? null : bytesOf(row, `${prefix}observation`),
  };
}

async function unpacked<T>(row: SqlRow, unpack: () => Promise<T>): Promise<T> {
  try {
    return await unpack();
  } catch (error) {
    const id = `${String(row['stream'])}#${String(row['seq'])}`;
    throw databaseError('DatabaseCorrupt', `the payload of ${id} cannot be unpacked`, error);
  }
}

function entryOf(row: SqlRow, text: string): LedgerEntry {
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
