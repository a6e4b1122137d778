import { open, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { AdapterError, fileFault } from '#kernel';

/** A bundle of every public authority takes a quarter of it. */
const maximumBytes = 1024 * 1024;

/**
 * Reads a small file of certificates, keys or tokens.
 *
 * @throws AdapterError `FileUnreadable`, which names the file, never its content
 */
export async function readSmallFile(file: string): Promise<string> {
  try {
    await using handle = await open(file, 'r');
    const stat = await handle.stat();
    if (!stat.isFile() || stat.size > maximumBytes) throw unreadable(file, 'no file of at most 1 MiB');
    return await handle.readFile('utf8');
  } catch (error) {
    if (error instanceof AdapterError) throw error;
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
