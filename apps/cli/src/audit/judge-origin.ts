import { isJsonObject, type JsonObject } from '#kernel';
import {
  adminStream,
  isSignedWith,
  parseCanonicalJson,
  parseCheckpointNote,
  parsePublicKeyText,
  sha256Hex,
  timeNanoseconds,
  type UnverifiedEntry,
} from '#ledger';
import { printable } from '../printable.ts';
import { UnusableError } from '../unusable-error.ts';
import type { ExportFault } from './export-fault.ts';
import { checkpointFault, type ReadCheckpoint, type ReadNote } from './verify-checkpoint.ts';
import { type KeptNotes, noteOf, type VerificationKey, type Witness } from './witness.ts';

/** Checkpoints that were lost with the restore of a backup, as the ledger says. */
export interface RecordedGap {
  /** The last checkpoint that the backup had. */
  readonly restored: string;
  /** The last one that was lost. */
  readonly number: string;
  /** When the backup was made. */
  readonly backup: string;
}

/** An export may have any number of them. */
const maximumGaps = 100;

/** Compares the checkpoints that an export's own stream of administration has with those that were kept elsewhere. */
export class RecordedNotes {
  readonly #kept: KeptNotes | null;
  /** The first that differs; `null`: none does. */
  contradiction: { readonly number: string; readonly note: string } | null = null;
  /** What the ledger says of a key that was lost. */
  lostKey: string | null = null;

  /** What the ledger says that restores of backups have lost; the first of them. */
  readonly gaps: RecordedGap[] = [];

  constructor({ kept }: Witness) {
    this.#kept = kept;
  }

  readonly look = (entry: UnverifiedEntry): void => {
    if (entry.stream !== adminStream || !('payloadText' in entry)) return;
    if (entry.kind === 'KeyLost') this.#lookAtLoss(membersOf(entry.payloadText));
    if (entry.kind === 'LedgerGap') this.#lookAtGap(membersOf(entry.payloadText));
    // A gap has the last note that was known outside.
    const hasNote = entry.kind === 'Checkpoint' || entry.kind === 'LedgerGap';
    if (hasNote && this.#kept !== null) this.#compare(this.#kept, membersOf(entry.payloadText));
  };

  #compare({ bodies }: KeptNotes, { number, note }: JsonObject): void {
    if (typeof number !== 'string' || typeof note !== 'string') return;
    const kept = bodies.get(number);
    if (kept === undefined || kept === bodyHash(note)) return;
    this.contradiction ??= { number, note };
  }

  #lookAtGap({ number, restored, backup }: JsonObject): void {
    if (typeof number !== 'string' || typeof restored !== 'string' || typeof backup !== 'string') return;
    if (this.gaps.length < maximumGaps) this.gaps.push({ restored, number, backup });
  }

  #lookAtLoss({ number, actor, reason }: JsonObject): void {
    const [before, who, why] = [number, actor, reason].map((value) =>
      printable(JSON.stringify(value ?? null)),
    );
    this.lostKey = `the ledger says that its key was lost before checkpoint ${before} (${who}: ${why})`;
  }
}

/** Of a JSON object; a payload may be anything, as long as it gives its hash. */
function membersOf(text: string): JsonObject {
  const value = parseCanonicalJson(text);
  return isJsonObject(value) ? value : {};
}

function bodyHash(text: string): string | null {
  const note = parseCheckpointNote(text);
  return note === null ? null : sha256Hex(note.bodyText);
}

export type Judgement = 'Proven' | 'Consistent' | ExportFault;

/** What the origin of an export is judged by. */
export interface Origin {
  readonly own: ReadCheckpoint | null;
  readonly witness: Witness;
  readonly recorded: Pick<RecordedNotes, 'contradiction' | 'lostKey' | 'gaps'>;
  readonly madeAt: string;
}

/**
 * Says whether the origin of a consistent export is proven: by a key, or by a checkpoint, that was obtained elsewhere.
 *
 * @throws UnusableError where the checkpoint is of another ledger
 */
export async function judgeOrigin(origin: Origin): Promise<Judgement> {
  const { own, witness, recorded } = origin;
  if (own !== null && witness.key !== null && !isGenuine(own, witness.key, own)) {
    const { number } = own.note.body;
    return checkpointFault(
      'WrongSignature',
      `checkpoint ${number} is not signed with the key${signatureHint(recorded)}`,
    );
  }
  const bySignature = own !== null && witness.key !== null ? 'Proven' : 'Consistent';
  return witness.kept === null ? bySignature : ((await judgeByKept(witness.kept, origin)) ?? bySignature);
}

/** What the ledger itself says of keys that changed, which may be forged. */
function signatureHint({ lostKey, gaps }: Origin['recorded']): string {
  if (lostKey !== null) return `; ${lostKey}`;
  if (gaps.length === 0) return '; an export from before a change of the key wants the public key of then';
  return '; the ledger says that a backup was restored: where the key was changed after that backup, its rotation is lost, and the later public key is needed';
}

/** Whether a note is signed with a key, or with one that followed it. */
function isGenuine({ note }: ReadNote, key: VerificationKey, { rotations }: ReadCheckpoint): boolean {
  let current = key;
  for (const rotation of rotations) {
    const { body } = rotation;
    const isBefore = body.number <= note.body.number && body.origin === note.body.origin;
    if (isBefore && isSignedWith(rotation, current)) current = parsePublicKeyText(body.key);
  }
  return isSignedWith(note, current);
}

async function judgeByKept(
  kept: KeptNotes,
  { own, witness: { key }, recorded, madeAt }: Origin,
): Promise<'Proven' | ExportFault | null> {
  const { last, equivocation } = kept;
  requireSameLedger(own, last);
  const { covered, lacking } = await relevantNotes(kept, own, madeAt);
  const rotations = own?.rotations ?? [];
  for (const read of [covered, lacking]) {
    if (read !== null && key !== null && !isGenuine(read, key, { ...read, rotations }))
      throw new UnusableError(unsigned(read));
  }
  if (equivocation !== null) return contradiction(equivocation, ['elsewhere there is', 'and']);
  if (lacking !== null) return missing(lacking);
  return own === null ? null : compare(own, kept, recorded);
}

function unsigned({ note }: ReadNote): string {
  const { number } = note.body;
  return `checkpoint ${number}, obtained elsewhere, is not signed with this key; where the key was changed after the export, the later public key is needed`;
}

/** The kept notes that an export is judged by. Others were made after it, and may be of a later key. */
interface RelevantNotes {
  /** The last that the export has; `null`: it has none of them. */
  readonly covered: ReadNote | null;
  /** The first that it should have; `null`: there is none. */
  readonly lacking: ReadNote | null;
}

async function relevantNotes(
  { notes }: KeptNotes,
  own: ReadNote | null,
  madeAt: string,
): Promise<RelevantNotes> {
  const end = own?.note.body.number ?? 0n;
  let covered: ReadNote | null = null;
  for await (const read of notes()) {
    if (read.note.body.number <= end) covered = read;
    else if (wasSignedBefore(read, madeAt)) return { covered, lacking: read };
  }
  return { covered, lacking: null };
}

/** What the clocks of the controller and of the machine that exports may differ by. */
const clockToleranceNanoseconds = 60n * 1_000_000_000n;

function wasSignedBefore({ note }: ReadNote, madeAt: string): boolean {
  const [made, signed] = [timeNanoseconds(madeAt), timeNanoseconds(note.body.time)];
  return made !== null && signed !== null && made - signed > clockToleranceNanoseconds;
}

/** `null`: neither the same nor contradictory. */
async function compare(
  own: ReadNote,
  { bodies, notes }: KeptNotes,
  recorded: Origin['recorded'],
): Promise<'Proven' | ExportFault | null> {
  const here = recorded.contradiction ?? { number: String(own.note.body.number), note: own.text };
  const there = bodies.get(here.number);
  if (there === undefined) return null;
  if (there === bodyHash(here.note)) return 'Proven';
  const other = await noteOf(notes(), here.number);
  return contradiction([here.note, other], ['the export has', 'and elsewhere there is']);
}

/** Shows both notes. */
function contradiction(
  notes: readonly [string, string],
  introductions: readonly [string, string],
): ExportFault {
  const both = notes.map((note, index) => `${introductions[index] ?? ''}\n${note}`).join('\n');
  const number = parseCheckpointNote(notes[1])?.body.number;
  return checkpointFault('Equivocation', `two checkpoints of number ${String(number)}: ${both}`);
}

function requireSameLedger(own: ReadNote | null, { note: other }: ReadNote): void {
  const origin = own?.note.body.origin;
  if (origin !== undefined && origin !== other.body.origin)
    throw new UnusableError(`the checkpoint is of ${other.body.origin}, the export of ${origin}`);
}

function missing({ note }: ReadNote): ExportFault {
  const { number, time } = note.body;
  return checkpointFault(
    'CheckpointMissing',
    `the export was made after checkpoint ${number} of ${time}, and lacks it`,
  );
}
