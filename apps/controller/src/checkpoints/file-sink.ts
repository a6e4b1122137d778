import { type FileHandle, open } from 'node:fs/promises';
import { codeOf } from '#kernel';
import { type CheckpointNote, parseCheckpointNote, type SigningKey } from '#ledger';
import type { CheckpointSink } from './checkpoint-sink.ts';
import { lacking } from './lacking-notes.ts';

/** More than two notes of the greatest length. */
const tailBytes = 64 * 1024;

/** Appends notes to a file, each followed by an empty line. */
export class FileSink implements CheckpointSink {
  readonly name = 'file';
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  async deliver(notes: readonly string[], publicKey: SigningKey['publicKey']): Promise<void> {
    await using handle = await open(this.#file, 'a+', 0o644);
    const tail = await readTail(handle);
    const missing = lacking(lastNoteOf(tail), notes, publicKey);
    if (missing.length === 0) return;
    // What an interrupted write has left stays, for whoever looks for it, apart from what follows.
    const gap = tail === '' || tail.endsWith('\n\n') ? '' : '\n\n';
    await handle.appendFile(`${gap}${missing.map((note) => `${note}\n`).join('')}`);
    await handle.sync();
  }

  async lastNote(): Promise<string | null> {
    try {
      await using handle = await open(this.#file, 'r');
      return lastNoteOf(await readTail(handle));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    }
  }
}

async function readTail(handle: FileHandle): Promise<string> {
  const { size } = await handle.stat();
  const start = Math.max(0, size - tailBytes);
  const bytes = Buffer.alloc(size - start);
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
  return bytes.toString('utf8', 0, bytesRead);
}

/** The last text in the tail of a file that is a note. */
function lastNoteOf(tail: string): string | null {
  const starts = [...tail.matchAll(/^plimsoll\//gm)].map(({ index }) => index);
  for (const [at, start] of [...starts.entries()].reverse()) {
    const text = `${tail.slice(start, starts[at + 1]).trimEnd()}\n`;
    const note: CheckpointNote | null = parseCheckpointNote(text);
    if (note !== null) return text;
  }
  return null;
}
