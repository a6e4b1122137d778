import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readTextFile } from '#files';
import { AdapterError, codeOf, fileFault } from '#kernel';
import { type CheckpointNote, parseCheckpointNote } from '#ledger';

/** What an operator says is the last checkpoint that was published before a restore. */
export interface StatedCheckpoint {
  /** `null`: none after those that the backup has. */
  readonly note: string | null;
}

/** Where the operator puts it. */
export function statedFile(dataFolder: string): string {
  return join(dataFolder, 'last-checkpoint.note');
}

/** @returns null: nothing is said. @throws AdapterError where the file holds no checkpoint of this ledger */
export async function readStatedCheckpoint(
  dataFolder: string,
  origin: string,
): Promise<StatedCheckpoint | null> {
  const file = statedFile(dataFolder);
  const text = await readTextFile(file).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw unusable(`${file}: ${fileFault(error, file)}`);
  });
  if (text === null) return null;
  if (text.trim() === '') return { note: null };
  const note = `${text.trim()}\n`;
  const parsed: CheckpointNote | null = parseCheckpointNote(note);
  if (parsed === null) throw unusable(`${file} holds no checkpoint`);
  if (parsed.body.origin !== origin)
    throw unusable(`${file} holds a checkpoint of ${parsed.body.origin}, and this ledger is ${origin}`);
  return { note };
}

/** Once it is recorded; a file of a read-only folder stays, and says nothing to a ledger that was not restored. */
export async function removeStatedCheckpoint(dataFolder: string): Promise<void> {
  await rm(statedFile(dataFolder), { force: true }).catch(() => undefined);
}

function unusable(message: string): AdapterError {
  return new AdapterError({ code: 'UnusableCheckpoint', message, retryable: true });
}
