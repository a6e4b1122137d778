import { timeNanoseconds } from '../entries/entry-time.ts';
import { parseSignedNote, type SignedNote } from './signed-note.ts';

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

/** A checkpoint as it was read; whether it is genuine takes the key. */
export type CheckpointNote = SignedNote<CheckpointBody>;

/** The form of a body. Every line is there once, in this order. */
const bodyForm =
  /^(plimsoll\/[a-z0-9-]{1,63}\/[0-9a-f]{32})\ncheckpoint ([1-9]\d{0,18})\nprevious ([0-9a-f]{64})\nstreams (0|[1-9]\d{0,14})\nentries (0|[1-9]\d{0,18})\nroot ([0-9a-f]{64})\ntime ([!-~]{1,64})\n$/;

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

/**
 * Reads the note of a checkpoint; `null` for any other text.
 *
 * @see docs/spec/ledger.md "Checkpoints"
 */
export function parseCheckpointNote(text: string): CheckpointNote | null {
  return parseSignedNote(text, parseBody);
}

function parseBody(text: string): CheckpointBody | null {
  const match = bodyForm.exec(text);
  if (match === null) return null;
  const [, origin = '', number = '', previous = '', streams = '', entries = '', root = '', time = ''] = match;
  if (timeNanoseconds(time) === null) return null;
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
