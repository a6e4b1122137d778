import { createReadStream } from 'node:fs';
import { fileFault } from '#kernel';
import { parseCheckpointNote, parseVerificationKey, sha256Hex } from '#ledger';
import { readLines } from '../decision/read-lines.ts';
import { UnusableError } from '../unusable-error.ts';
import type { ReadNote } from './verify-checkpoint.ts';

/** What an export is held against. */
export interface Witnesses {
  /** The file of a public key. */
  readonly key?: string;
  /** The file of a checkpoint, or of several in the order of their numbers. */
  readonly checkpoint?: string;
}

export type VerificationKey = ReturnType<typeof parseVerificationKey>;

/** What was obtained elsewhere. */
export interface Witness {
  readonly key: VerificationKey | null;
  readonly kept: KeptNotes | null;
}

/** Checkpoints that were kept elsewhere. */
export interface KeptNotes {
  readonly last: ReadNote;
  /** What each number has: the hash of the note's body. */
  readonly bodies: ReadonlyMap<string, string>;
  /** Two notes of one number that differ; `null`: there are none. */
  readonly equivocation: readonly [string, string] | null;
  /** Reads them again, in the order of their numbers. */
  readonly notes: () => AsyncGenerator<ReadNote>;
}

/** The longest file of checkpoints that is read: those of two years. */
const maximumCheckpointBytes = 512 * 1024 * 1024;

/** A note has fewer lines; what has more is none. */
const maximumNoteLines = 100;
const maximumNoteLineBytes = 16_384;

/** @throws UnusableError where a file is of no use */
export async function readWitness({ key, checkpoint }: Witnesses): Promise<Witness> {
  return {
    key: key === undefined ? null : await readKey(key),
    kept: checkpoint === undefined ? null : await readKept(checkpoint),
  };
}

async function readKey(file: string): Promise<VerificationKey> {
  try {
    let pem = '';
    for await (const chunk of createReadStream(file, { encoding: 'utf8', end: maximumNoteLineBytes }))
      pem += String(chunk);
    // What a shell leaves where the command that was to write the key has failed.
    if (pem.trim() === '') throw new Error('this is empty; "plimsoll audit key" prints the public key');
    return parseVerificationKey(pem);
  } catch (error) {
    throw new UnusableError(`${file}: ${fileFault(error, file)}`);
  }
}

async function readKept(file: string): Promise<KeptNotes> {
  const bodies = new Map<string, string>();
  let last: ReadNote | null = null;
  let equivocation: readonly [string, string] | null = null;
  const notes = (): AsyncGenerator<ReadNote> => notesOf(file);
  for await (const read of notes()) {
    const { note } = read;
    requireOrder(file, last, read);
    const number = String(note.body.number);
    const body = sha256Hex(note.bodyText);
    const known = bodies.get(number);
    if (known !== undefined && known !== body) equivocation ??= [await noteOf(notes(), number), read.text];
    bodies.set(number, known ?? body);
    last = read;
  }
  if (last === null) throw new UnusableError(`${file}: this is no checkpoint`);
  return { last, bodies, equivocation, notes };
}

/** The first note of a number, as a text; empty where there is none. */
export async function noteOf(notes: AsyncIterable<ReadNote>, number: string): Promise<string> {
  for await (const { text, note } of notes) if (String(note.body.number) === number) return text;
  return '';
}

function requireOrder(file: string, last: ReadNote | null, { note }: ReadNote): void {
  if (last === null) return;
  if (last.note.body.origin !== note.body.origin)
    throw new UnusableError(`${file}: checkpoints of ${last.note.body.origin} and of ${note.body.origin}`);
  if (last.note.body.number > note.body.number) {
    throw new UnusableError(
      `${file}: checkpoint ${note.body.number} comes after checkpoint ${last.note.body.number}`,
    );
  }
}

/** The notes of a file. What an interrupted write has left of one is passed over where all of it follows. */
async function* notesOf(file: string): AsyncGenerator<ReadNote> {
  let cutOff: string | null = null;
  for await (const text of chunksOf(file)) {
    const note = parseCheckpointNote(text);
    if (cutOff !== null && (note === null || !text.startsWith(cutOff)))
      throw new UnusableError(`${file}: this is no checkpoint`);
    cutOff = note === null ? text.trimEnd() : null;
    if (note !== null) yield { text, note };
  }
  if (cutOff !== null) throw new UnusableError(`${file}: this is no checkpoint`);
}

/** The text from each line that begins a note to the next. */
async function* chunksOf(file: string): AsyncGenerator<string> {
  let lines: string[] = [];
  const chunk = (): string => `${lines.join('\n').trim()}\n`;
  try {
    for await (const batch of readLines(
      createReadStream(file, { end: maximumCheckpointBytes }),
      maximumNoteLineBytes,
    )) {
      for (const line of batch) {
        const text = 'text' in line ? line.text : '\u0000';
        if (text.startsWith('plimsoll/') && lines.some((before) => before.trim() !== '')) {
          yield chunk();
          lines = [];
        }
        if (lines.length < maximumNoteLines) lines.push(text);
      }
    }
  } catch (error) {
    throw error instanceof UnusableError ? error : new UnusableError(`${file}: ${fileFault(error, file)}`);
  }
  if (lines.some((line) => line.trim() !== '')) yield chunk();
}
