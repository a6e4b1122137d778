import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { readTextFile } from '#files';
import { AdapterError, fileFault } from '#kernel';

/**
 * Reads a small file of certificates, keys or tokens.
 *
 * @throws AdapterError `FileUnreadable`, which names the file, never its content
 */
export async function readSmallFile(file: string): Promise<string> {
  try {
    return await readTextFile(file);
  } catch (error) {
    throw unreadable(file, fileFault(error, file));
  }
}

/**
 * The real path of a file that a policy names, relative to the folder or absolute. The answer is the same for a file that
 * is elsewhere and for one that is not there, so that no policy finds out which files there are.
 *
 * @throws AdapterError `FileUnreadable` where it is not a file below the folder, symbolic links followed
 */
export async function resolveBelow(folder: string, file: string): Promise<string> {
  try {
    const root = await realpath(folder);
    const path = await realpath(isAbsolute(file) ? file : join(root, file));
    const inside = relative(root, path);
    if (inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside))
      return path;
  } catch {
    // Said below, in the words for a file that is elsewhere.
  }
  throw unreadable(file, 'no file below the configured folder');
}

function unreadable(file: string, why: string): AdapterError {
  const message = `${JSON.stringify(file)} cannot be read: ${why}`;
  return new AdapterError({ code: 'FileUnreadable', message, retryable: true });
}
