import { sha256Hex } from './hash.ts';

/** What a checkpoint states, which its signature covers. */
export interface CheckpointBody {
  /** `plimsoll/<cluster>/<ledger id>`: a ledger has one, for all of its life. */
  readonly origin: string;
  /** From 1, without gaps. */
  readonly number: bigint;
  /** The hash of the note before, whole; 64 zeros in the first. */
  readonly previous: string;
  /** How many streams there are, the leaves of the tree. */
  readonly streams: bigint;
  /** How many entries they have. */
  readonly entries: bigint;
  /** Of the tree over the heads of all streams, as 64 hexadecimal digits. */
  readonly root: string;
  /** RFC 3339. */
  readonly time: string;
}

/** The signature line of a note. */
export interface NoteSignature {
  readonly name: string;
  /** Base64 of the key's id, which has 4 bytes, and the signature. */
  readonly signature: string;
}

/** A signed note as it was read; whether it is genuine takes the key. */
export interface CheckpointNote {
  readonly body: CheckpointBody;
  readonly bodyText: string;
  readonly signatures: readonly NoteSignature[];
}

/** The form of a body. Every line is there once, in this order. */
const bodyForm =
  /^(plimsoll\/[a-z0-9-]{1,63}\/[0-9a-f]{32})\ncheckpoint ([1-9]\d{0,18})\nprevious ([0-9a-f]{64})\nstreams (0|[1-9]\d{0,18})\nentries (0|[1-9]\d{0,18})\nroot ([0-9a-f]{64})\ntime (\S{1,64})\n$/;
const signatureForm = /^\u2014 ([^\s+]{1,300}) ([A-Za-z0-9+/]{1,1000}={0,2})$/;

/** The longest note that is read. */
const maximumNoteLength = 16_384;

/** The origin of a ledger's checkpoints, which is also the name of the key that signs them. */
export function checkpointOrigin(cluster: string, ledgerId: string): string {
  return `plimsoll/${cluster}/${ledgerId}`;
}

/** The text that is signed. */
export function checkpointBodyText(body: CheckpointBody): string {
  const { origin, number, previous, streams, entries, root, time } = body;
  return (
    `${origin}\ncheckpoint ${number}\nprevious ${previous}\nstreams ${streams}\nentries ${entries}\n` +
    `root ${root}\ntime ${time}\n`
  );
}

/** The text of a note: body, empty line, signatures. */
export function checkpointNoteText(bodyText: string, { name, signature }: NoteSignature): string {
  return `${bodyText}\n\u2014 ${name} ${signature}\n`;
}

/**
 * Reads a note in the form of C2SP's signed notes; `null` for any other text.
 *
 * @see docs/spec/ledger.md "Checkpoints"
 */
export function parseCheckpointNote(text: string): CheckpointNote | null {
  if (text.length > maximumNoteLength || !text.endsWith('\n')) return null;
  const split = text.lastIndexOf('\n\n');
  const bodyText = text.slice(0, split + 1);
  const body = parseBody(bodyText);
  const signatures = text
    .slice(split + 2, -1)
    .split('\n')
    .map((line) => signatureForm.exec(line))
    .map((match) => (match === null ? null : { name: match[1] ?? '', signature: match[2] ?? '' }));
  const isSigned = signatures.every((signature) => signature !== null);
  return split === -1 || body === null || !isSigned ? null : { body, bodyText, signatures };
}

function parseBody(text: string): CheckpointBody | null {
  const match = bodyForm.exec(text);
  if (match === null) return null;
  const [, origin = '', number = '', previous = '', streams = '', entries = '', root = '', time = ''] = match;
  return {
    origin,
    number: BigInt(number),
    previous,
    streams: BigInt(streams),
    entries: BigInt(entries),
    root,
    time,
  };
}

/** What the next note names as the one before it. */
export function noteHash(text: string): string {
  return sha256Hex(text);
}
