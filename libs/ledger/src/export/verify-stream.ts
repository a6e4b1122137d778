import { canonicalJson, err, isJsonObject, type Json, type JsonObject, ok, type Result } from '#kernel';
import { emptyHead, type EntryFrame, type StreamHead } from '../entries/entry.ts';
import {
  type EntryFormat,
  hashEntry,
  hashEntryOfFormat1,
  isKnownFormat,
  newestFormat,
  payloadTexts,
  type Sha256Hex,
} from '../entries/entry-hash.ts';
import { isNestedTooDeep, parseCanonicalJson } from './canonical-text.ts';

/** An entry as it was read from somewhere that is not trusted. */
export type UnverifiedEntry = UnverifiedFrame & UnverifiedContent;

/** What every entry carries, not trusted either. */
export interface UnverifiedFrame extends Omit<EntryFrame, 'format'> {
  readonly format: number;
  readonly kind: string;
}

/** What there is of an entry's content. Only entries of format 2 can be verified without their whole payload. */
export type UnverifiedContent =
  | { readonly payload: Json }
  /** The payload as the text that it was read as, which must be canonical JSON. */
  | ({ readonly payloadText: string } & ParsedContent)
  /** A decision without its observation: the payload as it is hashed. */
  | { readonly hashedPayload: Json }
  /** Nothing but the hash: a bare header. */
  | { readonly payloadHash: string };

/** A text, and what it says where whoever read it has parsed it already. */
export interface ParsedContent {
  readonly parsed?: JsonObject;
}

/** What is wrong, at the first entry where something is. */
export interface ChainFault {
  readonly code:
    /** The entry belongs to another stream. */
    | 'WrongStream'
    /** Its number does not follow: entries were deleted, inserted, repeated or reordered. */
    | 'WrongSequence'
    /** Its format is older than that of the entry before, or unknown. */
    | 'WrongFormat'
    /** It names another predecessor: the one before was edited or replaced. */
    | 'WrongPredecessor'
    /** Its content does not give its hash: it was edited. */
    | 'WrongHash'
    /** Its content is left out in a way that its format and kind do not allow, so it cannot be verified. */
    | 'ContentMissing'
    /** The stream ends before its head: entries were cut off. */
    | 'Truncated'
    /** The stream goes on after its head, or ends in another entry than the head's. */
    | 'NotTheHead';
  readonly stream: string;
  /** Where: the number the entry should have. */
  readonly seq: bigint;
  readonly message: string;
}

/** Where the verified part of a stream ends. */
export interface ChainEnd extends StreamHead {
  /** The format of the last entry; the next has the same or a newer one. */
  readonly format: EntryFormat;
}

/** The end of a stream of which nothing is verified yet. */
export function emptyEnd(stream: string): ChainEnd {
  return { ...emptyHead(stream), format: 1 };
}

/**
 * Checks the next entry of a chain: a fold, so that a stream of any length is verified in pages.
 *
 * @param end the verified part's end; `emptyEnd` at the beginning.
 * @returns the new end.
 */
export function verifyNext(
  end: ChainEnd,
  entry: UnverifiedEntry,
  sha256Hex: Sha256Hex,
): Result<ChainEnd, ChainFault> {
  const seq = end.seq + 1n;
  const { format } = entry;
  const fault = (code: ChainFault['code'], message: string): Result<ChainEnd, ChainFault> =>
    err({ code, stream: end.stream, seq, message: `${end.stream}#${seq}: ${message}` });
  if (entry.stream !== end.stream)
    return fault('WrongStream', `an entry of the stream ${entry.stream} is in its place`);
  if (entry.seq !== seq) return fault('WrongSequence', misplaced(entry.seq, seq));
  if (!isKnownFormat(format)) return fault('WrongFormat', `entry has format ${format}, which is not known`);
  if (format < end.format)
    return fault('WrongFormat', `entry has format ${format} after one of format ${end.format}`);
  if (entry.previousHash !== end.hash) {
    return fault(
      'WrongPredecessor',
      `was edited, or follows another entry: the one before it is ${end.hash}, and it names ${entry.previousHash}`,
    );
  }
  const hash = hashOf(entry, sha256Hex);
  if (hash === null) {
    return fault(
      'ContentMissing',
      `its content is missing, which no ${entry.kind} of format ${format} may lack`,
    );
  }
  if (entry.hash !== hash) {
    const found = misfoundOf(entry, sha256Hex);
    return fault(
      'WrongHash',
      found ?? `was edited: its content gives the hash ${hash}, and it has ${entry.hash}`,
    );
  }
  return ok({ stream: end.stream, seq, hash, format });
}

/** What number there is in the place of another. */
function misplaced(found: bigint, expected: bigint): string {
  return found > expected
    ? `is missing, or out of order: number ${found} is in its place`
    : `number ${found} is in its place, which was there before`;
}

/**
 * By what lists find an entry in place of what it says, where that is all that is wrong: the database has it beside the
 * payload, and exports put it there (`foundBy`). Null: it is not.
 */
function misfoundOf(entry: UnverifiedEntry, sha256Hex: Sha256Hex): string | null {
  const payload = payloadOf(entry);
  const foundBy = payload?.['foundBy'];
  if (payload === null || !isJsonObject(foundBy)) return null;
  const own = Object.fromEntries(Object.entries(payload).filter(([key]) => key !== 'foundBy'));
  const content = 'hashedPayload' in entry ? { hashedPayload: own } : { payload: own };
  if (hashOf({ ...frameOf(entry), ...content }, sha256Hex) !== entry.hash) return null;
  const columns = Object.entries(foundBy).map(([name, said]) => `${name} ${differenceIn(said)}`);
  return `lists do not find it by what it says; the columns of the database have the ${columns.join(', the ')}`;
}

function payloadOf(entry: UnverifiedEntry): JsonObject | null {
  if ('payloadHash' in entry) return null;
  if ('hashedPayload' in entry) return objectOf(entry.hashedPayload);
  return objectOf('payload' in entry ? entry.payload : parseCanonicalJson(entry.payloadText));
}

function objectOf(value: Json | undefined): JsonObject | null {
  return value !== undefined && isJsonObject(value) ? value : null;
}

function frameOf({
  format,
  stream,
  seq,
  cluster,
  kind,
  time,
  previousHash,
  hash,
}: UnverifiedEntry): UnverifiedFrame {
  return { format, stream, seq, cluster, kind, time, previousHash, hash };
}

/** `null in place of "ann"`. */
function differenceIn(said: Json | undefined): string {
  const { column = null, entry = null } = objectOf(said) ?? {};
  return `${JSON.stringify(column)} in place of ${JSON.stringify(entry)}`;
}

/** `null`: the content that the hash covers is left out. */
function hashOf(entry: UnverifiedEntry, sha256Hex: Sha256Hex): string | null {
  if (entry.format === newestFormat) {
    const payloadHash = payloadHashOf(entry, sha256Hex);
    return payloadHash === null ? null : hashEntry(entry, payloadHash, sha256Hex);
  }
  if ('payloadText' in entry) return hashEntryOfFormat1(entry, entry.payloadText, sha256Hex);
  if ('payload' in entry) return hashEntryOfFormat1(entry, canonicalJson(entry.payload), sha256Hex);
  return null;
}

function payloadHashOf(entry: UnverifiedEntry, sha256Hex: Sha256Hex): string | null {
  if ('payloadHash' in entry) return hashForm.test(entry.payloadHash) ? entry.payloadHash : null;
  if ('payloadText' in entry) return sha256Hex(hashedTextOf(entry.kind, entry.payloadText, sha256Hex));
  if ('payload' in entry) return sha256Hex(payloadTexts(entry.kind, entry.payload, sha256Hex).hashedText);
  return isWithoutObservation(entry) ? sha256Hex(canonicalJson(entry.hashedPayload)) : null;
}

/** A text that is not canonical JSON stands for itself, which no entry was made from. */
function hashedTextOf(kind: string, text: string, sha256Hex: Sha256Hex): string {
  // Only in decisions is anything replaced; the hash of other texts tells whether they are as they were written.
  if (kind !== 'Decision') return text;
  try {
    const payload = JSON.parse(text) as Json;
    if (isNestedTooDeep(payload)) return text;
    const { payloadText, hashedText } = payloadTexts(kind, payload, sha256Hex);
    return payloadText === text ? hashedText : text;
  } catch {
    return text;
  }
}

const hashForm = /^[0-9a-f]{64}$/;
const referenceForm = /^sha256:[0-9a-f]{64}$/;

function isWithoutObservation({
  kind,
  hashedPayload,
}: {
  readonly kind: string;
  readonly hashedPayload: Json;
}): boolean {
  if (kind !== 'Decision' || !isJsonObject(hashedPayload)) return false;
  const { input } = hashedPayload;
  const observation = isJsonObject(input) ? input['observation'] : undefined;
  return typeof observation === 'string' && referenceForm.test(observation);
}

/**
 * Checks a whole stream against its head: finds any edit, deletion, insertion, reordering and truncation. What it
 * cannot know is whether the head itself is genuine: that takes a checkpoint from elsewhere.
 *
 * @param entries all of the stream, in the order they are claimed to have.
 * @param head where the stream is claimed to end.
 */
export function verifyStream(
  entries: Iterable<UnverifiedEntry>,
  head: StreamHead,
  sha256Hex: Sha256Hex,
): Result<StreamHead, ChainFault> {
  let end = emptyEnd(head.stream);
  for (const entry of entries) {
    const next = verifyNext(end, entry, sha256Hex);
    if (!next.ok) return next;
    end = next.value;
  }
  return verifyEnd(end, head);
}

/** Whether the verified part of a stream ends where its head says. */
export function verifyEnd(end: StreamHead, head: StreamHead): Result<StreamHead, ChainFault> {
  if (end.seq === head.seq && end.hash === head.hash) return ok(head);
  const seq = end.seq + 1n;
  const fault = (code: ChainFault['code'], message: string): Result<StreamHead, ChainFault> =>
    err({ code, stream: end.stream, seq, message: `${end.stream}#${seq}: ${message}` });
  if (end.seq < head.seq)
    return fault('Truncated', `is missing; the stream ends in number ${head.seq} (${head.hash})`);
  return fault(
    'NotTheHead',
    end.seq > head.seq
      ? `an entry after the head, which is number ${head.seq}`
      : `number ${end.seq}, the last entry, was replaced: it is ${end.hash}, and the head ${head.hash}`,
  );
}
