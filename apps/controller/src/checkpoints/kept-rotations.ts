import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { replaceKeyFile } from '#adapter-sql';
import { codeOf, fileFault } from '#kernel';
import {
  adminStream,
  type DraftOf,
  isSignedWith,
  type LedgerPort,
  maximumPageLimit,
  parseKeyRotationNote,
  publicKeyText,
  type SigningKey,
} from '#ledger';

type Ledger = Pick<LedgerPort, 'entries'>;

/** Notes of rotations, in their order. */
type Notes = readonly string[];

/** Where the notes of rotations are beside the ledger, which the restore of a backup takes back to before some of them. */
function rotationsFile(dataFolder: string): string {
  return join(dataFolder, 'key-rotations');
}

/**
 * Keeps the notes of the ledger's rotations in the data folder, beside those that are there. A folder that takes none stops
 * no checkpoint: they are in the ledger, and only a restore needs them.
 */
export async function keepRotations(
  ledger: Ledger,
  dataFolder: string,
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  try {
    const kept = await readRotations(dataFolder);
    const missing = (await recordedRotations(ledger)).filter((note) => !kept.includes(note));
    if (missing.length > 0) await replaceKeyFile(rotationsFile(dataFolder), [...kept, ...missing].join('\n'));
  } catch (error) {
    logger.warn({ reason: fileFault(error) }, 'rotations of the key are not kept in the data folder');
  }
}

/** Of which ledger rotations are, and which key signs now. */
interface PresentKey {
  readonly dataFolder: string;
  readonly origin: string;
  readonly key: SigningKey;
}

/**
 * The rotations that a ledger has lost, where the last of them is that of the key that signs. What they say is signed, so
 * whoever verifies need not trust the file.
 *
 * @throws Error of the file system
 */
export async function lostRotations(
  ledger: Ledger,
  { dataFolder, origin, key }: PresentKey,
  time: string,
): Promise<readonly DraftOf<'KeyRotation'>[]> {
  const recorded = await recordedRotations(ledger);
  const lost = (await readRotations(dataFolder)).flatMap((note) => {
    const rotation = parseKeyRotationNote(note);
    return rotation?.body.origin !== origin || recorded.includes(note) ? [] : [{ note, rotation }];
  });
  const last = lost.at(-1)?.rotation;
  if (last?.body.key !== publicKeyText(key.publicKey) || !isSignedWith(last, key.publicKey)) return [];
  return lost.map(({ note, rotation }) => ({
    stream: adminStream,
    kind: 'KeyRotation',
    time,
    payload: { number: String(rotation.body.number), note },
  }));
}

/** The newest thousand. */
async function recordedRotations(ledger: Ledger): Promise<Notes> {
  const { items } = await ledger.entries({
    kinds: ['KeyRotation'],
    stream: adminStream,
    order: 'NewestFirst',
    limit: maximumPageLimit,
  });
  return items
    .map(({ entry }) => entry)
    .sort((one, other) => (one.seq < other.seq ? -1 : 1))
    .flatMap((entry) => (entry.kind === 'KeyRotation' ? [entry.payload.note] : []));
}

async function readRotations(dataFolder: string): Promise<Notes> {
  const text = await readFile(rotationsFile(dataFolder), 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  });
  return text
    .split(/^(?=plimsoll\/)/m)
    .map((note) => `${note.trim()}\n`)
    .filter((note) => parseKeyRotationNote(note) !== null);
}
