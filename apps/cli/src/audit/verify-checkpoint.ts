import { buffer } from 'node:stream/consumers';
import { canonicalJson, isJsonObject } from '#kernel';
import {
  type CheckpointBody,
  type CheckpointNote,
  exportedHead,
  hexOf,
  isOfSome,
  type KeyRotationBody,
  merkleLeaf,
  MerkleRoot,
  parseCanonicalJson,
  parseCheckpointNote,
  parseKeyRotationNote,
  parseSealedHead,
  provenRoot,
  type SealedHead,
  SelectedRanges,
  sha256Bytes,
  type SignedNote,
  type StreamHead,
} from '#ledger';
import { type Line, readLines } from '../decision/read-lines.ts';
import type { ExportFault } from './export-fault.ts';
import { type Manifest, noteName, openExportFile, rotationsName, sealedName } from './export-folder.ts';

/** A checkpoint as a text and what it says. */
export interface ReadNote {
  readonly text: string;
  readonly note: CheckpointNote;
}

/** What the checkpoint of an export comes with. */
export interface ReadCheckpoint extends ReadNote {
  /** In their order. */
  readonly rotations: readonly SignedNote<KeyRotationBody>[];
}

/** Of the checkpoint of an export, which has less than 1 kB. */
const maximumNoteBytes = 64 * 1024;

/** More than one a day for a century. */
const maximumRotations = 100_000;

/** The checkpoint of an export; `null`: it has none. */
export async function readCheckpoint(folder: string): Promise<ReadCheckpoint | ExportFault | null> {
  const input = await openExportFile(folder, noteName, maximumNoteBytes);
  if (input === null) return null;
  const content = (await buffer(input)).toString();
  const note = content.length > maximumNoteBytes ? null : parseCheckpointNote(content);
  if (note === null) return checkpointFault('UnreadableCheckpoint', 'this is no checkpoint');
  const rotations = await readRotations(folder);
  return 'code' in rotations ? rotations : { text: content, note, rotations };
}

async function readRotations(
  folder: string,
): Promise<readonly SignedNote<KeyRotationBody>[] | (ExportFault & { readonly length?: never })> {
  const input = await openExportFile(folder, rotationsName);
  if (input === null) return [];
  const rotations: SignedNote<KeyRotationBody>[] = [];
  for await (const lines of readLines(input, maximumNoteBytes)) {
    for (const line of lines) {
      const rotation = rotationOf(line);
      if (rotation === null || rotations.length === maximumRotations) {
        const message = 'the line is no rotation of a key';
        const place = { file: rotationsName, line: line.number };
        return { code: 'UnreadableCheckpoint', stream: null, seq: null, message, ...place };
      }
      rotations.push(rotation);
    }
  }
  return rotations;
}

/** The line of a rotation. */
export function rotationLine(note: string): string {
  return canonicalJson({ note });
}

function rotationOf(line: Line): SignedNote<KeyRotationBody> | null {
  if (!('text' in line)) return null;
  const value = parseCanonicalJson(line.text);
  const note = isJsonObject(value) ? value['note'] : undefined;
  return typeof note === 'string' && rotationLine(note) === line.text ? parseKeyRotationNote(note) : null;
}

/**
 * The selected heads that the checkpoint covers, checked against its root: all heads together, or each by its proof
 * where only some streams were exported.
 */
export async function* sealedHeadsOf(
  folder: string,
  { note }: ReadNote,
  { filter }: Manifest,
): AsyncGenerator<StreamHead | ExportFault, void> {
  const ranges = isOfSome(filter) ? new SelectedRanges(filter) : null;
  const root = ranges === null ? new WholeTree(note.body) : new ProvenHeads(note.body, ranges);
  for await (const sealed of readSealed(folder, ranges !== null)) {
    const fault = 'code' in sealed ? sealed : root.check(sealed);
    if (fault !== null) yield fault;
    else if (!('code' in sealed) && ranges?.selects(sealed.head.stream) !== false) yield sealed.head;
  }
  const fault = root.finish();
  if (fault !== null) yield fault;
}

interface RootCheck {
  readonly check: (sealed: SealedHead) => ExportFault | null;
  readonly finish: () => ExportFault | null;
}

/** Heads that have proofs of their own, with no selected one between them. */
class ProvenHeads implements RootCheck {
  readonly #body: CheckpointBody;
  readonly #ranges: SelectedRanges;
  #before: { readonly index: number; readonly stream: string | null } = { index: -1, stream: null };

  constructor(body: CheckpointBody, ranges: SelectedRanges) {
    this.#body = body;
    this.#ranges = ranges;
  }

  check(sealed: SealedHead): ExportFault | null {
    const { streams, root } = this.#body;
    const { stream } = sealed.head;
    if (provenRoot(sealed, streams) !== root)
      return sealedFault('WrongRoot', `${stream} is not in the tree with the root ${root}`, null);
    return this.#goOn(sealed.inclusion?.index ?? 0, stream);
  }

  finish(): ExportFault | null {
    return this.#goOn(Number(this.#body.streams), null);
  }

  #goOn(index: number, stream: string | null): ExportFault | null {
    const before = this.#before;
    this.#before = { index, stream };
    if (index === before.index + 1 || !this.#ranges.isBetween(before.stream, stream)) return null;
    const [from, to] = [before.stream ?? 'the beginning', stream ?? 'the end'];
    return sealedFault(
      'SealIncomplete',
      `the checkpoint may cover selected streams from ${from} to ${to}`,
      null,
    );
  }
}

/** All heads, which prove each other. */
class WholeTree implements RootCheck {
  readonly #body: CheckpointBody;
  readonly #tree = new MerkleRoot(sha256Bytes);
  #entries = 0n;

  constructor(body: CheckpointBody) {
    this.#body = body;
  }

  check({ head }: SealedHead): null {
    this.#tree.add(merkleLeaf(exportedHead(head), sha256Bytes));
    this.#entries += head.seq;
    return null;
  }

  finish(): ExportFault | null {
    const { root, streams, entries } = this.#body;
    const found = hexOf(this.#tree.root);
    if (found === root && BigInt(this.#tree.size) === streams && this.#entries === entries) return null;
    const given = `${this.#tree.size} streams, ${this.#entries} entries and the root ${found}`;
    const message = `the heads give ${given}; the checkpoint has ${streams}, ${entries} and ${root}`;
    return sealedFault('WrongRoot', message, null);
  }
}

/** The heads that the checkpoint of an export covers, not checked against it. */
export async function* readSealed(
  folder: string,
  hasProofs: boolean,
): AsyncGenerator<SealedHead | ExportFault, void> {
  const input = await openExportFile(folder, sealedName);
  if (input === null) {
    yield checkpointFault('UnreadableCheckpoint', `${sealedName} is missing`);
    return;
  }
  let before: Place = { name: Buffer.alloc(0), index: -1 };
  for await (const lines of readLines(input)) {
    for (const line of lines) {
      const sealed = 'text' in line ? parseSealedHead(line.text, hasProofs) : null;
      const place = sealed === null ? null : placeOf(sealed, before);
      if (sealed === null || place === null)
        yield sealedFault('UnreadableCheckpoint', 'the line is no head, or out of order', line.number);
      else yield sealed;
      before = place ?? before;
    }
  }
}

interface Place {
  readonly name: Buffer;
  readonly index: number;
}

/** `null`: it does not come after the one before. */
function placeOf({ head, inclusion }: SealedHead, before: Place): Place | null {
  const name = Buffer.from(head.stream);
  const index = inclusion?.index ?? before.index + 1;
  return Buffer.compare(name, before.name) <= 0 || index <= before.index ? null : { name, index };
}

/** A fault of the checkpoint, which is in no stream. */
export function checkpointFault(code: ExportFault['code'], message: string): ExportFault {
  return { code, stream: null, seq: null, message, file: noteName, line: null };
}

function sealedFault(code: ExportFault['code'], message: string, line: number | null): ExportFault {
  return { code, stream: null, seq: null, message, file: sealedName, line };
}
