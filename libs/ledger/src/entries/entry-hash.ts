import { canonicalJson, isJsonObject, type Json, type JsonObject } from '#kernel';

/** SHA-256 of a text's UTF-8 bytes, as 64 lower-case hexadecimal digits. */
export type Sha256Hex = (text: string) => string;

/** How an entry's hash is made. New entries have the newest; entries of earlier releases keep theirs. */
export type EntryFormat = 1 | 2;

/** The format of new entries. */
export const newestFormat = 2;

/** Whether this program knows how entries of a format are hashed. */
export function isKnownFormat(format: number): format is EntryFormat {
  return format === 1 || format === newestFormat;
}

/** What an entry's hash covers, beside its payload. */
export interface HashedHeader {
  readonly stream: string;
  readonly seq: bigint;
  readonly cluster: string;
  readonly kind: string;
  readonly time: string;
  readonly previousHash: string;
}

/** A payload as canonical JSON, and the text that its hash is made from. */
export interface PayloadTexts {
  readonly payloadText: string;
  /** The payload; in a `Decision` with {@link observationReference} in place of the observation. */
  readonly hashedText: string;
  /** Where a decision's observation stands in the payload; `null`: it has none. */
  readonly observation: TextSpan | null;
}

/** A part of a text, in UTF-16 units; `end` is exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * The hash of an entry of format 2: SHA-256 of the canonical JSON of its header. The number is a string in it, since
 * JSON numbers end at 2⁵³.
 *
 * @see docs/spec/ledger.md, with a worked example
 */
export function hashEntry(header: HashedHeader, payloadHash: string, sha256Hex: Sha256Hex): string {
  const { cluster, kind, previousHash, seq, stream, time } = header;
  // The keys stand in canonical order.
  return sha256Hex(
    `{"cluster":${JSON.stringify(cluster)},"format":2,"kind":${JSON.stringify(kind)},` +
      `"payloadHash":"${payloadHash}","previousHash":${JSON.stringify(previousHash)},"seq":"${seq}",` +
      `"stream":${JSON.stringify(stream)},"time":${JSON.stringify(time)}}`,
  );
}

/** The hash of an entry of format 1, which covers the payload itself, as canonical JSON. */
export function hashEntryOfFormat1(header: HashedHeader, payloadText: string, sha256Hex: Sha256Hex): string {
  const { cluster, kind, previousHash, seq, stream, time } = header;
  return sha256Hex(
    `{"cluster":${JSON.stringify(cluster)},"kind":${JSON.stringify(kind)},"payload":${payloadText},` +
      `"previousHash":${JSON.stringify(previousHash)},"seq":"${seq}",` +
      `"stream":${JSON.stringify(stream)},"time":${JSON.stringify(time)}}`,
  );
}

/**
 * The texts of a payload. Different payloads of a kind have different hashed texts: an observation is replaced
 * wherever there is one, so a text with a reference in its place stands for no other payload.
 */
export function payloadTexts(kind: string, payload: Json, sha256Hex: Sha256Hex): PayloadTexts {
  const input = kind === 'Decision' && isJsonObject(payload) ? payload['input'] : undefined;
  if (!isJsonObject(payload) || !isJsonObject(input) || input['observation'] === undefined) {
    const payloadText = canonicalJson(payload);
    return { payloadText, hashedText: payloadText, observation: null };
  }
  const outer = textAround(payload, 'input');
  const inner = textAround(input, 'observation');
  const observation = canonicalJson(input['observation']);
  const around = (text: string): string => outer.before + inner.before + text + inner.after + outer.after;
  const start = outer.before.length + inner.before.length;
  return {
    payloadText: around(observation),
    hashedText: around(`"${observationReference(sha256Hex(observation))}"`),
    observation: { start, end: start + observation.length },
  };
}

/** What stands for an observation in the text that a decision's payload hash is made from. */
export function observationReference(hash: string): string {
  return `sha256:${hash}`;
}

/** The canonical JSON of an object, cut at the value of one of its keys. */
function textAround(object: JsonObject, key: string): { readonly before: string; readonly after: string } {
  let before = '{';
  let after = '}';
  for (const name of Object.keys(object).sort()) {
    const value = object[name];
    if (value === undefined || name === key) continue;
    const member = `${JSON.stringify(name)}:${canonicalJson(value)}`;
    if (name < key) before += `${member},`;
    else after = `${after.slice(0, -1)},${member}}`;
  }
  return { before: `${before}${JSON.stringify(key)}:`, after };
}
