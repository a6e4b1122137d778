import type { TextSpan } from '#ledger';
import { dictionaryOf } from './dictionaries.ts';
import { compress, decompress, decompressTogether } from './zstd.ts';

/** Stands for the observation in the text around it. */
const gap = '"observation":"sha256:"';
const gapStart = '"observation":';

/** A decision's payload as it is compressed: the observation apart, so that it can be deleted first. */
export interface PayloadParts {
  /** The payload with a {@link gap} in place of the observation, or the whole payload. */
  readonly around: string;
  /** `null`: the payload has none, or it is in `around`. */
  readonly observation: string | null;
}

/** A payload in columns. */
export interface PackedPayload {
  /** Version of the dictionary. */
  readonly dictionary: bigint;
  readonly packed: Uint8Array;
  readonly observation: Uint8Array | null;
}

/** Parts a payload; together they give exactly the same text again. */
export function partsOf(payloadText: string, observation: TextSpan | null): PayloadParts {
  if (observation === null) return { around: payloadText, observation: null };
  const gapAt = observation.start - gapStart.length;
  const isMember = payloadText.startsWith(gapStart, gapAt);
  const around = `${payloadText.slice(0, gapAt)}${gap}${payloadText.slice(observation.end)}`;
  // Only another member that looks like the gap stands before it, and no decision has one.
  if (!isMember || around.indexOf(gap) !== gapAt) return { around: payloadText, observation: null };
  return { around, observation: payloadText.slice(observation.start, observation.end) };
}

/** The payload that parts were made from. */
export function wholeOf({ around, observation }: PayloadParts): string {
  return observation === null ? around : fillGap(around, observation);
}

/** The text of a payload with something in place of its observation. */
export function fillGap(around: string, json: string): string {
  const at = around.indexOf(gap);
  return around.slice(0, at + gapStart.length) + json + around.slice(at + gap.length);
}

/** Compresses parts; with a base, as what differs from it. */
export async function packParts(
  { around, observation }: PayloadParts,
  { dictionary, base }: { readonly dictionary: bigint; readonly base: PayloadParts | null },
): Promise<PackedPayload> {
  const [packed, packedObservation] = await Promise.all([
    compress(around, withBase(dictionary, base?.around)),
    observation === null ? null : compress(observation, withBase(dictionary, base?.observation)),
  ]);
  return { dictionary, packed, observation: packedObservation };
}

/** @throws Error where the bytes are damaged; AdapterError where the dictionary is not known. */
export async function unpackParts(
  { dictionary, packed, observation }: PackedPayload,
  base: PayloadParts | null,
): Promise<PayloadParts> {
  const [around, text] = await Promise.all([
    unpackPart(packed, withBase(dictionary, base?.around)),
    observation === null ? null : unpackPart(observation, withBase(dictionary, base?.observation)),
  ]);
  return { around, observation: text };
}

/** One part of {@link unpackParts}, by its dictionary {@link withBase}. @throws Error where the bytes are damaged. */
export function unpackPart(bytes: Uint8Array, dictionary: Uint8Array): Promise<string> {
  return decompress(bytes, dictionary);
}

/** Several such parts; null: they are to be unpacked one by one. */
export function unpackTogether(
  parts: readonly Uint8Array[],
  dictionary: Uint8Array,
): readonly string[] | null {
  return decompressTogether(parts, dictionary);
}

/** What stands at the end of a dictionary is the cheapest to refer to. @throws AdapterError where it is not known. */
export function withBase(version: bigint, text: string | null | undefined): Uint8Array {
  const dictionary = dictionaryOf(version);
  return text === null || text === undefined ? dictionary : Buffer.concat([dictionary, Buffer.from(text)]);
}
