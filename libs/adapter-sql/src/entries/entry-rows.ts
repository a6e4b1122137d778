import { AdapterError } from '#kernel';
import {
  type EntryCursor,
  type EntryFrame,
  type LedgerEntry,
  observationReference,
  type StoredContent,
} from '#ledger';
import { databaseError } from '../connection/database-error.ts';
import { loopClock } from '../connection/loop-clock.ts';
import type { SqlRow } from '../connection/sql-database.ts';
import { KeptBases } from '../packing/kept-bases.ts';
import {
  fillGap,
  type PackedPayload,
  type Unpacking,
  unpackPart,
  unpackParts,
  unpackTogether,
  wholeOf,
} from '../packing/packed-payload.ts';
import { bytesOf as packedSizeOf, type PackingBase } from '../packing/payload-packer.ts';
import { bigintOf, bytesOf, parsedColumn, streamOf, textOf } from '../statements/rows.ts';
import { baseOfPart, type PackedPart, shortPartOf } from './packed-rows.ts';

/** How rows are read. */
export interface RowReading {
  /** Where bases that were read are found again; by default only those of these rows. */
  readonly bases?: KeptBases;
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
  { bases = new KeptBases(), isWithoutObservations = false, isDamageRead = false }: RowReading = {},
): Promise<readonly StoredContent[]> {
  const reading = { bases, isWithoutObservations, isDamageRead };
  const contents: StoredContent[] = [];
  for (let start = 0; start < rows.length; start += rowsPerTurn) {
    if (start > 0) await loopClock.nextTurn();
    const part = rows.slice(start, start + rowsPerTurn);
    const short = part.map((row) => shortContentOf(row, reading));
    const isComplete = short.every((content) => content !== null);
    contents.push(...(isComplete ? short : await withLongContents(part, short, reading)));
  }
  return contents;
}

/** Unpacks those that are missing. */
async function withLongContents(
  rows: readonly SqlRow[],
  short: readonly (StoredContent | null)[],
  { isDamageRead, ...reading }: Required<RowReading>,
): Promise<readonly StoredContent[]> {
  const texts = await unpackedTogether(
    rows.filter((_, index) => short[index] === null),
    reading,
  );
  return Promise.all(
    rows.map(async (row, index) => {
      const known = short[index];
      if (known !== null && known !== undefined) return known;
      const content = contentOf(row, { ...reading, texts });
      return isDamageRead ? content.catch(readDamage) : content;
    }),
  );
}

/**
 * The content of a row that is not packed, or whose parts are short, as nearly all are: without a promise for each. Null: it
 * is long, or damaged.
 */
function shortContentOf(row: SqlRow, { bases, isWithoutObservations }: PartReading): StoredContent | null {
  const { payload, payload_hash: hash, dictionary } = row;
  if (typeof hash === 'string') return { payloadHash: hash };
  if (dictionary === null)
    return hash === null && typeof payload === 'string' ? { payloadText: payload } : null;
  const around = shortPartOf({ row, part: 'packed', bases });
  if (around === null) return null;
  const plain = withoutObservation(row, around, isWithoutObservations);
  if (plain !== null) return plain;
  const observation = shortPartOf({ row, part: 'observation', bases });
  return observation === null ? null : { payloadText: wholeOf({ around, observation }) };
}

/** Null: the observation is to be read, too. */
function withoutObservation(
  row: SqlRow,
  around: string,
  isWithoutObservations: boolean,
): StoredContent | null {
  if (row['observation_hash'] !== null) {
    const reference = JSON.stringify(observationReference(textOf(row, 'observation_hash')));
    return { hashedText: fillGap(around, reference) };
  }
  if (row['observation'] === null) return { payloadText: around };
  return isWithoutObservations ? { hashedText: fillGap(around, 'null') } : null;
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
 * The texts of packed parts, by their bytes, those with one dictionary by one call: what a call prepares takes longer than
 * unpacking some kilobytes. What cannot be unpacked so, and what stands alone, is left out: it is unpacked, or found to be
 * damaged, by itself.
 */
async function unpackedTogether(
  rows: readonly SqlRow[],
  { bases, isWithoutObservations }: PartReading,
): Promise<ReadonlyMap<Uint8Array, string>> {
  const parts = rows.filter(isPacked).flatMap((row) => {
    const around: PackedPart = { row, part: 'packed', bases };
    return row['observation'] === null || isWithoutObservations
      ? [around]
      : [around, { row, part: 'observation', bases } as const];
  });
  await keepBases(parts, bases);
  const texts = new Map<Uint8Array, string>();
  for (const group of Map.groupBy(parts, unpackingKeyOf).values()) {
    const [first, ...others] = group;
    if (first === undefined || others.length === 0) continue;
    const unpacking = await unpackingOf(first).catch(() => null);
    if (unpacking === null) continue;
    const bytes = group.map(bytesOfPart);
    unpackTogether(bytes, unpacking)?.forEach((text, at) => texts.set(bytes[at] ?? none, text));
  }
  return texts;
}

const none = new Uint8Array();

function isPacked(row: SqlRow): boolean {
  return row['dictionary'] !== null && row['payload_hash'] === null;
}

/** Unpacks by one call the bases that are not kept. What cannot be unpacked so is left to {@link unpackingOf}. */
async function keepBases(parts: readonly PackedPart[], bases: KeptBases): Promise<void> {
  const missing = bases.lacking(parts.flatMap((part) => baseOfPart(part) ?? []));
  for (const [version, group] of Map.groupBy(missing, ({ dictionary }) => dictionary)) {
    const texts = unpackTogether(
      group.map(({ packed }) => packed),
      { dictionary: version, base: null },
    );
    for (const [at, text] of (texts ?? []).entries()) {
      const base = group[at];
      if (base !== undefined) await bases.read(base, () => Promise.resolve(text));
    }
  }
}

type PartReading = Required<Omit<RowReading, 'isDamageRead'>>;

interface ContentReading extends PartReading {
  /** Of parts that are unpacked already, by their bytes. */
  readonly texts: ReadonlyMap<Uint8Array, string>;
}

async function contentOf(row: SqlRow, reading: ContentReading): Promise<StoredContent> {
  if (row['payload_hash'] !== null) return { payloadHash: textOf(row, 'payload_hash') };
  if (row['dictionary'] === null) return { payloadText: textOf(row, 'payload') };
  const { bases, texts } = reading;
  const around = await partOf({ row, part: 'packed', bases }, texts);
  const plain = withoutObservation(row, around, reading.isWithoutObservations);
  if (plain !== null) return plain;
  const observation = await partOf({ row, part: 'observation', bases }, texts);
  return { payloadText: wholeOf({ around, observation }) };
}

/** A part of a payload, with that of its base where it is packed with one. */
async function partOf(part: PackedPart, texts: ContentReading['texts']): Promise<string> {
  return unpacked(part.row, async () => {
    const bytes = bytesOfPart(part);
    return texts.get(bytes) ?? (await unpackPart(bytes, await unpackingOf(part)));
  });
}

function bytesOfPart({ row, part }: PackedPart): Uint8Array {
  return bytesOf(row, part);
}

/** The same for parts of one result that are unpacked with the same. */
function unpackingKeyOf({ row, part }: PackedPart): string {
  const { dictionary, stream, base_seq: base } = row;
  return base === null || row[`base_${part}`] === null
    ? String(dictionary)
    : `${part} ${String(base)} ${String(stream)}`;
}

async function unpackingOf(part: PackedPart): Promise<Unpacking> {
  const base = baseOfPart(part);
  const dictionary = bigintOf(part.row, 'dictionary');
  if (base === null) return { dictionary, base: null };
  const text = await part.bases.read(base, () => unpackPart(base.packed, { dictionary, base: null }));
  return { dictionary, base: text };
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
  const payload = parsedColumn(text, 'payload', streamOf(row));
  return { ...frameOf(row), kind: textOf(row, 'kind'), payload } as LedgerEntry;
}

/** What every entry carries. @throws AdapterError `DatabaseCorrupt` */
export function frameOf(row: SqlRow): EntryFrame {
  return {
    format: Number(bigintOf(row, 'format')) as EntryFrame['format'],
    stream: textOf(row, 'stream'),
    seq: bigintOf(row, 'seq'),
    cluster: textOf(row, 'cluster'),
    time: textOf(row, 'time'),
    previousHash: textOf(row, 'previous_hash'),
    hash: textOf(row, 'hash'),
  };
}
