import type { JsonObject } from '#kernel';
import type { EntryKind } from '../entries/entry-kind.ts';
import { sha256Hex } from '../entries/hash.ts';
import { shardScope } from '../ports/fence.port.ts';
import type { PolicyState } from '../ports/policy-state.ts';

/** A draft in a journal. It is no intent. */
export interface JournaledDraft {
  readonly stream: string;
  readonly kind: EntryKind;
  readonly time: string;
  readonly payload: JsonObject;
}

/** What became durable in the journal of an outage as a whole, and becomes durable in the ledger as a whole. */
export interface JournalRecord {
  /** From 1, without gaps, as long as there is the journal. */
  readonly number: number;
  /** The scope of the fence under which it was decided; absent: {@link formerJournalScope}. */
  readonly scope?: string;
  /** Of that fence. */
  readonly epoch: string;
  readonly drafts: readonly JournaledDraft[];
  readonly states: readonly PolicyState[];
  /** Of what takes the place of records: the ledger that has them, and gets what follows. */
  readonly ledger?: string;
}

/** What a journal file holds. */
export interface ParsedJournal {
  /** The journal's own, 32 hexadecimal digits; `null`: this is no journal. */
  readonly id: string | null;
  /** The ledger that its records are for; `null`: a release before wrote it, which did not say so. */
  readonly ledger: string | null;
  /** In the order of their numbers, each with its place in the file. */
  readonly records: readonly PlacedRecord[];
  /** The numbers that are missing between others: the file is damaged. */
  readonly missing: readonly number[];
  /** Where the next record goes. */
  readonly end: number;
}

/** A record and its bytes in the file. */
export interface PlacedRecord {
  readonly record: JournalRecord;
  readonly offset: number;
  readonly length: number;
}

/** Of the records of releases that had one scope for all policies. */
export const formerJournalScope = shardScope(0);

const checksumDigits = 16;
const lineFeed = 10;
const idForm = /^[0-9a-f]{32}$/;

/** The first line of a journal. */
export function journalHeader(id: string): string {
  return line({ journal: id, format: 1 });
}

/** The line of a record. Several may be written at once. */
export function journalLine(record: JournalRecord): string {
  return line(record);
}

/**
 * The line that takes the place of records that the ledger has: what stands behind it in the file and has a lower number
 * is not a record any more.
 */
export function journalRestart(number: number, ledger: string): string {
  return line({ number, epoch: '0', drafts: [], states: [], ledger });
}

function line(content: object): string {
  const text = JSON.stringify(content);
  return `${checksumOf(text)} ${text}\n`;
}

function checksumOf(text: string): string {
  return sha256Hex(text).slice(0, checksumDigits);
}

/**
 * Reads a journal. A line that is torn, or whose checksum is wrong, is none; so is one whose number is not higher than the
 * one before, which is left of records that have been replayed.
 */
export function parseJournal(content: Buffer): ParsedJournal {
  const headerEnd = content.indexOf(lineFeed) + 1;
  const id = headerEnd === 0 ? null : headerIdOf(content.toString('utf8', 0, headerEnd - 1));
  if (id === null) return { id: null, ledger: null, records: [], missing: [], end: 0 };
  const records: PlacedRecord[] = [];
  const missing: number[] = [];
  let end = headerEnd;
  let last: number | null = null;
  for (let offset = headerEnd; offset < content.length;) {
    const stop = content.indexOf(lineFeed, offset);
    if (stop === -1) break;
    const record = parseJournalLine(content.toString('utf8', offset, stop));
    if (record !== null && (last === null || record.number > last)) {
      for (let number = (last ?? record.number) + 1; number < record.number; number += 1)
        missing.push(number);
      records.push({ record, offset, length: stop + 1 - offset });
      last = record.number;
      end = stop + 1;
    }
    offset = stop + 1;
  }
  return { id, ledger: ledgerOf(records), records, missing, end };
}

function ledgerOf([first]: readonly PlacedRecord[]): string | null {
  return first?.record.ledger ?? null;
}

function headerIdOf(text: string): string | null {
  const header = checked(text);
  return header !== null && 'journal' in header && isId(header.journal) ? header.journal : null;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && idForm.test(value);
}

/** The record of a line, without its line feed; `null`: it is none. */
export function parseJournalLine(text: string): JournalRecord | null {
  const content = checked(text);
  if (content === null || !('number' in content) || !Number.isSafeInteger(content.number)) return null;
  // What has the right checksum was written here.
  return content as JournalRecord;
}

function checked(text: string): object | null {
  const checksum = text.slice(0, checksumDigits);
  const content = text.slice(checksumDigits + 1);
  if (text[checksumDigits] !== ' ' || checksum !== checksumOf(content)) return null;
  const parsed: unknown = JSON.parse(content);
  return typeof parsed === 'object' ? parsed : null;
}
