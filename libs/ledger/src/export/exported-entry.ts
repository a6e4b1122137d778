import { isJsonObject, type Json } from '#kernel';
import type { StreamHead } from '../entries/entry.ts';
import { payloadTexts, type Sha256Hex } from '../entries/entry-hash.ts';
import { parseCanonicalJson } from './canonical-text.ts';
import type { ParsedContent, UnverifiedContent, UnverifiedEntry, UnverifiedFrame } from './verify-stream.ts';

/** An entry as a database has it. */
export type StoredEntry = UnverifiedFrame & StoredContent;

/** What a database has of an entry's content. Retention deletes observations and payloads. */
export type StoredContent =
  /** Canonical JSON. */
  | ({ readonly payloadText: string } & ParsedContent)
  /** A decision whose observation has been deleted: the text that its payload's hash is made from. */
  | ({ readonly hashedText: string } & ParsedContent)
  /** The payload has been deleted. */
  | { readonly payloadHash: string };

/** What an export says of an entry: everything, or of an entry of format 2 its header only. */
export type ExportedContent = 'Payload' | 'Header';

/** The line of an entry in an export: canonical JSON, without a line end. */
export function exportedEntry(entry: StoredEntry, content: ExportedContent, sha256Hex: Sha256Hex): string {
  const { cluster, format, hash, kind, previousHash, seq, stream, time } = entry;
  const exported =
    content === 'Payload' || format === 1
      ? storedMember(entry)
      : `"payloadHash":${JSON.stringify(payloadHashOf(entry, sha256Hex))}`;
  return (
    `{"cluster":${JSON.stringify(cluster)},"format":${format},"hash":${JSON.stringify(hash)},` +
    `"kind":${JSON.stringify(kind)},${exported},"previousHash":${JSON.stringify(previousHash)},` +
    `"seq":"${seq}","stream":${JSON.stringify(stream)},"time":${JSON.stringify(time)}}`
  );
}

function storedMember(content: StoredContent): string {
  if ('payloadText' in content) return `"payload":${content.payloadText}`;
  if ('hashedText' in content) return `"payloadWithoutObservation":${content.hashedText}`;
  return `"payloadHash":${JSON.stringify(content.payloadHash)}`;
}

/** A damaged payload has a hash as well, of its text, so that it is exported and found by verification. */
function payloadHashOf(entry: StoredEntry, sha256Hex: Sha256Hex): string {
  if ('payloadHash' in entry) return entry.payloadHash;
  if ('hashedText' in entry) return sha256Hex(entry.hashedText);
  const { kind, payloadText } = entry;
  if (kind !== 'Decision') return sha256Hex(payloadText);
  try {
    return sha256Hex(payloadTexts(kind, JSON.parse(payloadText) as Json, sha256Hex).hashedText);
  } catch {
    return sha256Hex(payloadText);
  }
}

// The members stand in canonical order, and those before and after the content are strings and numbers only. What
// comes between is found without being parsed: within a JSON string every quote has a backslash before it.
const front =
  /^\{"cluster":("(?:[^"\\]|\\.)*"),"format":([1-9]\d{0,2}),"hash":"([0-9a-f]{64})","kind":("(?:[^"\\]|\\.)*"),"(payload|payloadHash|payloadWithoutObservation)":/;
const back =
  /^,"previousHash":"([0-9a-f]{64})","seq":"([1-9]\d{0,18})","stream":("(?:[^"\\]|\\.)*"),"time":("(?:[^"\\]|\\.)*")\}$/;
const backStart = ',"previousHash":"';

/** Reads the line of an entry; `null` where it is not in the form of {@link exportedEntry}. */
export function parseExportedEntry(line: string): UnverifiedEntry | null {
  const backAt = line.lastIndexOf(backStart);
  const head = front.exec(line);
  const tail = back.exec(line.slice(Math.max(0, backAt)));
  if (head === null || tail === null || head[0].length > backAt) return null;
  const [cluster, format, hash, kind, member] = groupsOf(head);
  const [previousHash, seq, stream, time] = groupsOf(tail);
  const content = contentOf(member, line.slice(head[0].length, backAt));
  const frame = {
    cluster: stringOf(cluster),
    format: Number(format),
    hash,
    kind: stringOf(kind),
    previousHash,
    seq: BigInt(seq),
    stream: stringOf(stream),
    time: stringOf(time),
  };
  return content !== null && isFrame(frame) ? { ...frame, ...content } : null;
}

type Groups = readonly [string, string, string, string, string];

/** Those of a form that has matched, none of which is optional. */
function groupsOf([, first = '', second = '', third = '', fourth = '', fifth = '']: RegExpExecArray): Groups {
  return [first, second, third, fourth, fifth];
}

type ParsedFrame = { readonly [Key in keyof UnverifiedFrame]: UnverifiedFrame[Key] | null };

function isFrame(frame: ParsedFrame): frame is UnverifiedFrame {
  const { cluster, kind, stream, time } = frame;
  return cluster !== null && kind !== null && stream !== null && time !== null;
}

function contentOf(member: string, text: string): UnverifiedContent | null {
  if (member === 'payload') return { payloadText: text };
  if (member === 'payloadHash') {
    const payloadHash = stringOf(text);
    return payloadHash === null ? null : { payloadHash };
  }
  const hashedPayload = parseCanonicalJson(text);
  return isJsonObject(hashedPayload) ? { hashedPayload } : null;
}

/** Strings that need no escapes: no control character, quote, backslash or half of a surrogate pair. */
const plainForm = /^"[\x20\x21\x23-\x5b\x5d-\x7e]*"$/;

/** The string that a literal stands for; `null` where it is not the canonical one. */
function stringOf(literal: string): string | null {
  if (plainForm.test(literal)) return literal.slice(1, -1);
  const value = literal.includes('\\') ? parseCanonicalJson(literal) : literal.slice(1, -1);
  return typeof value === 'string' && JSON.stringify(value) === literal ? value : null;
}

/** The line that stands for the entries that retention has deleted at the beginning of a stream, without a line end. */
export function exportedSegment({ stream, seq, hash }: StreamHead): string {
  return `{"expired":{"hash":${JSON.stringify(hash)},"last":"${seq}"},"stream":${JSON.stringify(stream)}}`;
}

const segmentForm =
  /^\{"expired":\{"hash":"([0-9a-f]{64})","last":"([1-9]\d{0,18})"\},"stream":("(?:[^"\\]|\\.)*")\}$/;

/** Reads the line of a segment: its last entry; `null` where it is not in the form of {@link exportedSegment}. */
export function parseExportedSegment(line: string): StreamHead | null {
  return headOf(segmentForm.exec(line));
}

/** The line of a stream's head in an export: canonical JSON, without a line end. */
export function exportedHead({ stream, seq, hash }: StreamHead): string {
  return `{"hash":${JSON.stringify(hash)},"seq":"${seq}","stream":${JSON.stringify(stream)}}`;
}

const headForm = /^\{"hash":"([0-9a-f]{64})","seq":"([1-9]\d{0,18})","stream":("(?:[^"\\]|\\.)*")\}$/;

/** Reads the line of a head; `null` where it is not in the form of {@link exportedHead}. */
export function parseExportedHead(line: string): StreamHead | null {
  return headOf(headForm.exec(line));
}

function headOf(match: RegExpExecArray | null): StreamHead | null {
  if (match === null) return null;
  const [hash, seq, literal] = groupsOf(match);
  const stream = stringOf(literal);
  return stream === null ? null : { stream, seq: BigInt(seq), hash };
}
