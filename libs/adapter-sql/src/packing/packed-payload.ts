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
  // A start makes thousands of them at once, and few come after.
  const effort = base === null ? 'Quick' : 'Small';
  const pack = (text: string, of: string | null | undefined): Promise<Uint8Array> =>
    compress(text, withBase(dictionary, of), effort);
  const [packed, packedObservation] = await Promise.all([
    pack(around, base?.around),
    observation === null ? null : pack(observation, base?.observation),
  ]);
  return { dictionary, packed, observation: packedObservation };
}

/** @throws Error where the bytes are damaged; AdapterError where the dictionary is not known. */
export async function unpackParts(
  { dictionary, packed, observation }: PackedPayload,
  base: PayloadParts | null,
): Promise<PayloadParts> {
  const [around, text] = await Promise.all([
    unpackPart(packed, { dictionary, base: base?.around }),
    observation === null ? null : unpackPart(observation, { dictionary, base: base?.observation }),
  ]);
  return { around, observation: text };
}

/** What a part is unpacked with. */
export interface Unpacking {
  /** Version of the dictionary. */
  readonly dictionary: bigint;
  /** The same part of the base; none: it was packed without. */
  readonly base: string | null | undefined;
}

/** One part of {@link unpackParts}. @throws as that does */
export async function unpackPart(bytes: Uint8Array, unpacking: Unpacking): Promise<string> {
  return decompress(bytes, lentDictionary(unpacking));
}

/** Several such parts; null: they are to be unpacked one by one, which says what is wrong with which. */
export function unpackTogether(parts: readonly Uint8Array[], unpacking: Unpacking): readonly string[] | null {
  try {
    return decompressTogether(parts, lentDictionary(unpacking));
  } catch {
    return null;
  }
}

/** What stands at the end of a dictionary is the cheapest to refer to. @throws AdapterError where it is not known. */
function withBase(version: bigint, text: string | null | undefined): Uint8Array {
  const dictionary = dictionaryOf(version);
  return text === null || text === undefined ? dictionary : Buffer.concat([dictionary, Buffer.from(text)]);
}

/** Bases without their observation, and most observations, are shorter. */
const maximumLent = 32 * 1024;
const bytesPerCharacter = 3;
let room = Buffer.alloc(0);

/**
 * The same in one place of the memory, until the next call: collecting what is made anew for each decision took longer
 * than unpacking it.
 */
function lentDictionary({ dictionary: version, base }: Unpacking): Uint8Array {
  if (base === null || base === undefined || base.length > maximumLent) return withBase(version, base);
  const dictionary = dictionaryOf(version);
  const wanted = dictionary.length + maximumLent * bytesPerCharacter;
  if (room.length < wanted) room = Buffer.alloc(wanted);
  dictionary.copy(room);
  return room.subarray(0, dictionary.length + room.write(base, dictionary.length));
}
