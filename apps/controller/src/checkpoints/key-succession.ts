import {
  adminStream,
  type DraftOf,
  type EntryOf,
  isSignedWith,
  keyRotationBodyText,
  type LedgerPort,
  maximumPageLimit,
  noteHash,
  parseCheckpointNote,
  parseKeyRotationNote,
  parsePublicKeyText,
  publicKeyText,
  type SigningKey,
  signNote,
} from '#ledger';
import type { OpenedKeys } from './checkpoint-key.ts';
import type { RecordedCheckpoint } from './recorded-checkpoints.ts';

/** Whether a key may sign the next checkpoint, and what has to be recorded before it does. */
export type Succession =
  | { readonly kind: 'SameKey' }
  | { readonly kind: 'NewKey'; readonly draft: DraftOf<'KeyRotation'> | DraftOf<'KeyLost'> }
  | { readonly kind: 'Refused'; readonly reason: string };

/**
 * Compares the key with the one that the ledger expects: the one that signed last, or the one that was recorded to
 * follow it. Another takes its place if that one signs so, or if an operator says that it is lost.
 */
export async function successionOf({
  ledger,
  last,
  keys,
  time,
}: {
  readonly ledger: Ledger;
  readonly last: RecordedCheckpoint;
  readonly keys: OpenedKeys;
  readonly time: string;
}): Promise<Succession> {
  const expects = await expectedKey(ledger, last);
  if (expects(keys.current)) return { kind: 'SameKey' };
  const next = String(last.number + 1n);
  const { previous, lost, current } = keys;
  if (previous !== null && expects(previous)) {
    const note = rotationNote({ last, previous, current, time });
    return {
      kind: 'NewKey',
      draft: { stream: adminStream, kind: 'KeyRotation', time, payload: { number: next, note } },
    };
  }
  const key = publicKeyText(current.publicKey);
  if (lost?.key === key) {
    const { actor, reason } = lost;
    return {
      kind: 'NewKey',
      draft: { stream: adminStream, kind: 'KeyLost', time, payload: { number: next, key, actor, reason } },
    };
  }
  return {
    kind: 'Refused',
    reason:
      `checkpoint ${last.number} was signed with another key than ${keys.file} holds; ` +
      'where that key is lost, "plimsoll audit new-key --reason" goes on with a new one',
  };
}

type Ledger = Pick<LedgerPort, 'streamEntries'>;
type Expectation = (key: SigningKey) => boolean;

async function expectedKey(ledger: Ledger, last: RecordedCheckpoint): Promise<Expectation> {
  const key = await lastChange(ledger, last.entry.seq);
  if (key !== null) return ({ publicKey }) => parsePublicKeyText(key).equals(publicKey);
  const note = parseCheckpointNote(last.note);
  return ({ publicKey }) => note !== null && isSignedWith(note, publicKey);
}

/** The key that was recorded last after an entry; `null`: none was. */
async function lastChange(ledger: Ledger, number: bigint): Promise<string | null> {
  let key: string | null = null;
  let after = number;
  for (;;) {
    const entries = await ledger.streamEntries({ stream: adminStream, after, limit: maximumPageLimit });
    for (const entry of entries) {
      after = entry.seq;
      if (entry.kind === 'KeyRotation' || entry.kind === 'KeyLost') key = keyOf(entry);
    }
    if (entries.length < maximumPageLimit) return key;
  }
}

function keyOf(entry: EntryOf<'KeyRotation'> | EntryOf<'KeyLost'>): string | null {
  return entry.kind === 'KeyLost'
    ? entry.payload.key
    : (parseKeyRotationNote(entry.payload.note)?.body.key ?? null);
}

function rotationNote({
  last,
  previous,
  current,
  time,
}: {
  readonly last: RecordedCheckpoint;
  readonly previous: SigningKey;
  readonly current: SigningKey;
  readonly time: string;
}): string {
  const origin = parseCheckpointNote(last.note)?.body.origin ?? '';
  const bodyText = keyRotationBodyText({
    origin,
    number: last.number + 1n,
    previous: noteHash(last.note),
    key: publicKeyText(current.publicKey),
    time,
  });
  return signNote(bodyText, origin, previous, current);
}
