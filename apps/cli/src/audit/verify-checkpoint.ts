import { createReadStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import { isJsonObject, type Json, type JsonObject, messageOf } from '#kernel';
import {
  adminStream,
  type CheckpointBody,
  type CheckpointNote,
  exportedHead,
  isSignedWith,
  merkleLeaf,
  MerkleRoot,
  parseCheckpointNote,
  parseVerificationKey,
  type StreamHead,
  timeNanoseconds,
  type UnverifiedEntry,
} from '#ledger';
import { readLines } from '../decision/read-lines.ts';
import { UnusableError } from '../unusable-error.ts';
import { type Manifest, openExportFile } from './export-folder.ts';
import { hexOf, noteName, parseSealedHead, provenRoot, type SealedHead, sealedName } from './sealed-heads.ts';
import type { ExportFault } from './verify-entries.ts';

/** What an export is held against. */
export interface Witnesses {
  /** The file of a public key. */
  readonly key?: string;
  /** The file of a checkpoint; where it has several, the last counts. */
  readonly checkpoint?: string;
}

/** A checkpoint as a text and what it says. */
export interface ReadNote {
  readonly text: string;
  readonly note: CheckpointNote;
}

/** The longest file of checkpoints that is read: those of two years. */
const maximumCheckpointBytes = 512 * 1024 * 1024;

/** Of the checkpoint of an export, which has less than 1 kB. */
const maximumNoteBytes = 64 * 1024;

/** The checkpoint of an export; `null`: it has none. */
export async function readCheckpoint(folder: string): Promise<ReadNote | ExportFault | null> {
  const input = await openExportFile(folder, noteName, maximumNoteBytes);
  if (input === null) return null;
  const content = await text(input);
  const note = content.length > maximumNoteBytes ? null : parseCheckpointNote(content);
  return note === null
    ? checkpointFault('UnreadableCheckpoint', 'this is no checkpoint')
    : { text: content, note };
}

/**
 * The heads that the checkpoint covers, checked against its root: all of them together, or each by its proof where only
 * some streams were exported.
 */
export async function* sealedHeadsOf(
  folder: string,
  { note }: ReadNote,
  { filter }: Manifest,
): AsyncGenerator<StreamHead | ExportFault, void> {
  const isOfSome = filter.namespaces !== null || filter.policies !== null;
  const root = isOfSome ? new ProvenHeads(note.body) : new WholeTree(note.body);
  for await (const sealed of readSealed(folder, isOfSome)) {
    if ('code' in sealed) yield sealed;
    else yield root.check(sealed) ?? sealed.head;
  }
  const fault = root.finish();
  if (fault !== null) yield fault;
}

interface RootCheck {
  readonly check: (sealed: SealedHead) => ExportFault | null;
  readonly finish: () => ExportFault | null;
}

/** Heads that have proofs of their own. */
class ProvenHeads implements RootCheck {
  readonly #body: CheckpointBody;

  constructor(body: CheckpointBody) {
    this.#body = body;
  }

  check(sealed: SealedHead): ExportFault | null {
    const { streams, root } = this.#body;
    if (provenRoot(sealed, streams) === root) return null;
    return sealedFault('WrongRoot', `${sealed.head.stream} is not in the tree with the root ${root}`, null);
  }

  finish(): null {
    return null;
  }
}

/** All heads, which prove each other. */
class WholeTree implements RootCheck {
  readonly #body: CheckpointBody;
  readonly #tree = new MerkleRoot();
  #entries = 0n;

  constructor(body: CheckpointBody) {
    this.#body = body;
  }

  check({ head }: SealedHead): null {
    this.#tree.add(merkleLeaf(exportedHead(head)));
    this.#entries += head.seq;
    return null;
  }

  finish(): ExportFault | null {
    const { root, streams, entries } = this.#body;
    const found = hexOf(this.#tree.root);
    if (found === root && BigInt(this.#tree.size) === streams && this.#entries === entries) return null;
    return sealedFault('WrongRoot', `the heads give the root ${found}, not ${root}`, null);
  }
}

async function* readSealed(
  folder: string,
  hasProofs: boolean,
): AsyncGenerator<SealedHead | ExportFault, void> {
  const input = await openExportFile(folder, sealedName);
  if (input === null) {
    yield checkpointFault('UnreadableCheckpoint', `${sealedName} is missing`);
    return;
  }
  let before = Buffer.alloc(0);
  for await (const lines of readLines(input)) {
    for (const line of lines) {
      const sealed = 'text' in line ? parseSealedHead(line.text, hasProofs) : null;
      const name = Buffer.from(sealed?.head.stream ?? '');
      if (sealed === null || Buffer.compare(name, before) <= 0)
        yield sealedFault('UnreadableCheckpoint', 'the line is no head, or out of order', line.number);
      else yield sealed;
      before = name;
    }
  }
}

function checkpointFault(code: ExportFault['code'], message: string): ExportFault {
  return { code, stream: null, seq: null, message, file: noteName, line: null };
}

function sealedFault(code: ExportFault['code'], message: string, line: number | null): ExportFault {
  return { code, stream: null, seq: null, message, file: sealedName, line };
}

type VerificationKey = ReturnType<typeof parseVerificationKey>;

/** What was obtained elsewhere. */
export interface Witness {
  readonly key: VerificationKey | null;
  readonly other: ReadNote | null;
}

/** @throws UnusableError where a file is of no use */
export async function readWitness({ key, checkpoint }: Witnesses): Promise<Witness> {
  const publicKey = key === undefined ? null : await readOr(key, parseVerificationKey);
  const other = checkpoint === undefined ? null : await readOr(checkpoint, lastNoteOf);
  if (publicKey !== null && other !== null && !isSignedWith(other.note, publicKey))
    throw new UnusableError(`${checkpoint}: the checkpoint is not signed with this key`);
  return { key: publicKey, other };
}

async function readOr<T>(file: string, parse: (content: string) => T): Promise<T> {
  try {
    const stream = createReadStream(file, { end: maximumCheckpointBytes });
    return parse(await text(stream));
  } catch (error) {
    throw new UnusableError(`${file}: ${messageOf(error)}`);
  }
}

function lastNoteOf(content: string): ReadNote {
  const start = content.lastIndexOf('\n\nplimsoll/') + 1;
  const trimmed = `${content.slice(start).trim()}\n`;
  const note = parseCheckpointNote(trimmed);
  if (note === null) throw new Error('this is no checkpoint');
  return { text: trimmed, note };
}

/** Finds the note that an export's own stream of administration has under the number of another. */
export class RecordedNote {
  readonly #number: bigint | null;
  note: string | null = null;

  constructor({ other }: Witness) {
    this.#number = other?.note.body.number ?? null;
  }

  readonly look = (entry: UnverifiedEntry): void => {
    if (this.#number === null || entry.kind !== 'Checkpoint' || entry.stream !== adminStream) return;
    if (!('payloadText' in entry)) return;
    const { number, note } = membersOf(entry.payloadText);
    if (number === String(this.#number) && typeof note === 'string') this.note = note;
  };
}

/** Of a JSON object; a payload may be anything, as long as it gives its hash. */
function membersOf(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/**
 * Says whether the origin of a consistent export is proven: by a key, or by a checkpoint, that was obtained elsewhere.
 *
 * @throws UnusableError where the checkpoint is of another ledger
 */
export function judgeOrigin({ own, witness: { key, other }, recorded, madeAt }: Origin): Judgement {
  if (own !== null && key !== null && !isSignedWith(own.note, key))
    return checkpointFault('WrongSignature', `checkpoint ${own.note.body.number} is not signed with the key`);
  const bySignature = own !== null && key !== null ? 'Proven' : 'Consistent';
  if (other === null) return bySignature;
  requireSameLedger(own, other);
  if (isMissing(own, other, madeAt)) return missing(other);
  return (own === null ? null : compare(own, other, recorded)) ?? bySignature;
}

type Judgement = 'Proven' | 'Consistent' | ExportFault;

/** What the origin of an export is judged by. */
export interface Origin {
  readonly own: ReadNote | null;
  readonly witness: Witness;
  /** What the export has under the number of the other checkpoint. */
  readonly recorded: string | null;
  readonly madeAt: string;
}

function requireSameLedger(own: ReadNote | null, { note: other }: ReadNote): void {
  const origin = own?.note.body.origin;
  if (origin !== undefined && origin !== other.body.origin)
    throw new UnusableError(`the checkpoint is of ${other.body.origin}, the export of ${origin}`);
}

/** `null`: neither the same nor contradictory. */
function compare(own: ReadNote, other: ReadNote, recorded: string | null): 'Proven' | ExportFault | null {
  const isSameNumber = own.note.body.number === other.note.body.number;
  const here = isSameNumber ? own.text : recorded;
  if (here === null) return null;
  if (parseCheckpointNote(here)?.bodyText === other.note.bodyText) return isSameNumber ? 'Proven' : null;
  return checkpointFault(
    'Equivocation',
    `two checkpoints of number ${other.note.body.number}: the export has\n${here}\nand elsewhere there is\n${other.text}`,
  );
}

function isMissing(own: ReadNote | null, other: ReadNote, madeAt: string): boolean {
  const isLater = own === null || own.note.body.number < other.note.body.number;
  const [made, signed] = [timeNanoseconds(madeAt), timeNanoseconds(other.note.body.time)];
  return isLater && made !== null && signed !== null && made > signed;
}

function missing({ note }: ReadNote): ExportFault {
  const { number, time } = note.body;
  return checkpointFault(
    'CheckpointMissing',
    `the export was made after checkpoint ${number} of ${time}, and lacks it`,
  );
}
