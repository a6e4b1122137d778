import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Of a file that was not there. */
const ownMode = 0o600;

/**
 * Writes a file that has its name once it is whole: a report that was cut off looks like one in most of its forms. Until then
 * it is `FILE.UUID.part`, each time another, and what had the name stays. What is no file, as a pipe, is written as it comes.
 *
 * @throws Error where it cannot be written, or the input fails; nothing of it is left
 */
export async function writeWholeFile(file: string, input: Readable): Promise<void> {
  const present = await stat(file).catch(() => null);
  if (present !== null && !present.isFile()) {
    await pipeline(input, createWriteStream(file));
    return;
  }
  // What a link names is replaced, not the link.
  const place = present === null ? file : await realpath(file);
  const part = `${place}.${randomUUID()}.part`;
  try {
    const mode = present === null ? ownMode : present.mode & 0o777;
    await pipeline(input, createWriteStream(part, { flags: 'wx', mode, flush: true }));
    await rename(part, place);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    // Who reads it has named the file, and not what it is until then.
    if (error instanceof Error && 'path' in error) Object.assign(error, { path: file, dest: undefined });
    throw error;
  }
}
