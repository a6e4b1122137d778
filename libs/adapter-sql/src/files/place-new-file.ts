import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '#kernel';

/**
 * Gives a file that is whole and on disk the name under which it is looked for. A link where there may be one, since a
 * rename would replace a file that has come meanwhile.
 *
 * @throws Error of the code `EEXIST` where there is a file of that name
 */
export async function placeNewFile(whole: string, file: string): Promise<void> {
  if (await isLinked(whole, file)) {
    await rm(whole);
  } else {
    await requireAbsent(file);
    await rename(whole, file);
  }
  await flushFolder(dirname(file));
}

/** False: the file system has no hard links. */
async function isLinked(whole: string, file: string): Promise<boolean> {
  try {
    await link(whole, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw error;
    return false;
  }
}

/** Waits until the names of files in a folder are on disk, where its file system can do that. */
export async function flushFolder(folder: string): Promise<void> {
  const opened = await open(folder);
  try {
    await opened.sync();
  } catch (error) {
    if (codeOf(error) !== 'EINVAL' && codeOf(error) !== 'ENOTSUP') throw error;
  } finally {
    await opened.close();
  }
}

/** @throws Error of the code `EEXIST` where there is a file of that name, of others where that cannot be known */
export async function requireAbsent(file: string): Promise<void> {
  try {
    await lstat(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  throw Object.assign(new Error(`${file} is there`), { code: 'EEXIST', path: file });
}
