import { timeNanoseconds } from '../entries/entry-time.ts';
import { parseSignedNote, type SignedNote } from './signed-note.ts';

/** What a rotation states, signed with the old key and the new one. */
export interface KeyRotationBody {
  /** As in checkpoints. */
  readonly origin: string;
  /** The number of the first checkpoint that the new key signs. */
  readonly number: bigint;
  /** The hash of the checkpoint before, whole. */
  readonly previous: string;
  /** The new public key: base64 of its 32 bytes. */
  readonly key: string;
  /** RFC 3339. */
  readonly time: string;
}

const bodyForm =
  /^(plimsoll\/[a-z0-9-]{1,63}\/[0-9a-f]{32})\nkey-rotation ([1-9]\d{0,18})\nprevious ([0-9a-f]{64})\nkey ([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)\ntime ([!-~]{1,64})\n$/;

/** The text that is signed. */
export function keyRotationBodyText({ origin, number, previous, key, time }: KeyRotationBody): string {
  return `${origin}\nkey-rotation ${number}\nprevious ${previous}\nkey ${key}\ntime ${time}\n`;
}

/**
 * Reads the note of a rotation; `null` for any other text.
 *
 * @see docs/spec/ledger.md "Keys"
 */
export function parseKeyRotationNote(text: string): SignedNote<KeyRotationBody> | null {
  return parseSignedNote(text, parseBody);
}

function parseBody(text: string): KeyRotationBody | null {
  const match = bodyForm.exec(text);
  if (match === null) return null;
  const [, origin = '', number = '', previous = '', key = '', time = ''] = match;
  if (timeNanoseconds(time) === null) return null;
  return { origin, number: BigInt(number), previous, key, time };
}
