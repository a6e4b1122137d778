import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { leftoverAgeMilliseconds } from '../run/git-limits.ts';

/** Folders where git leaves locks and half-written files; what else it writes is renamed into place. */
const folders = ['', 'refs/plimsoll', 'refs/plimsoll/kept', 'objects/pack', 'objects/info'];
const leftover = /^tmp_|\.lock$/;

/**
 * Removes what a git that was killed left in a bare repository of ours: a lock would stop every later fetch, a
 * half-written pack would fill the disk. What was touched lately stays: a git may be at work on it.
 */
export async function removeLeftovers(repository: string, now: number): Promise<void> {
  for (const folder of folders) {
    const path = join(repository, folder);
    const names = await readdir(path).catch(() => []);
    for (const name of names.filter((each) => leftover.test(each))) await removeOld(join(path, name), now);
  }
}

async function removeOld(file: string, now: number): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() === true && now - found.mtimeMs > leftoverAgeMilliseconds)
    await rm(file, { force: true });
}
