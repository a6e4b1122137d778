import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { messageOf } from '#kernel';

/** Bytes read at once. */
const chunkBytes = 1024 * 1024;

/** A file could not be opened: the command cannot run. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
}

/**
 * The bytes of a file, or of standard input where none is named or the name is `-`.
 *
 * @throws UnreadableFileError
 */
export async function openInput(file: string | undefined): Promise<Readable> {
  if (file === undefined || file === '-') return process.stdin;
  try {
    const handle = await open(file, 'r');
    if ((await handle.stat()).isDirectory()) {
      await handle.close();
      throw new Error('it is a directory');
    }
    return createReadStream(file, { fd: handle, highWaterMark: chunkBytes });
  } catch (error) {
    throw new UnreadableFileError(`cannot read ${file}: ${messageOf(error)}`);
  }
}
