import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { fileFault } from '#kernel';
import { UnusableError } from '../unusable-error.ts';

/** Bytes read at once. */
const chunkBytes = 1024 * 1024;

/**
 * The bytes of a file, or of standard input where none is named or the name is `-`.
 *
 * @throws UnusableError
 */
export async function openInput(file: string | undefined, standardInput: Readable): Promise<Readable> {
  if (file === undefined || file === '-') return standardInput;
  try {
    const handle = await open(file, 'r');
    if ((await handle.stat()).isDirectory()) {
      await handle.close();
      throw new Error('it is a folder; name a file in it, such as entries-000001.ndjson of an export');
    }
    return createReadStream(file, { fd: handle, highWaterMark: chunkBytes });
  } catch (error) {
    throw new UnusableError(`cannot read ${file}: ${fileFault(error, file)}`);
  }
}
