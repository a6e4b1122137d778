import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '#kernel';

/**
 * Makes a folder and those above it that are not there; one that is there stays as it is.
 *
 * Node's own recursive `mkdir` never ends below a folder that says of what could not be made in it that it is not there, as
 * `/proc` does. Here each folder is tried twice at most.
 *
 * @param mode of each folder that is made
 * @throws Error of the file system
 */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    const parent = dirname(folder);
    if (codeOf(error) !== 'ENOENT' || parent === folder) return requireFolder(folder, error);
    await makeFolder(parent, mode);
    await mkdir(folder, { mode }).catch((again: unknown) => requireFolder(folder, again));
  }
}

/** {@link makeFolder}, for those that cannot wait. @throws Error of the file system */
export function makeFolderSync(folder: string, mode?: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    const parent = dirname(folder);
    if (codeOf(error) !== 'ENOENT' || parent === folder) {
      requireFolderSync(folder, error);
      return;
    }
    makeFolderSync(parent, mode);
    try {
      mkdirSync(folder, { mode });
    } catch (again) {
      requireFolderSync(folder, again);
    }
  }
}

async function requireFolder(folder: string, error: unknown): Promise<void> {
  const found = await stat(folder).catch((fault: unknown) => {
    throw reasonOf(error, fault);
  });
  if (!found.isDirectory()) throw error;
}

function requireFolderSync(folder: string, error: unknown): void {
  let isFolder: boolean;
  try {
    isFolder = statSync(folder).isDirectory();
  } catch (fault) {
    throw reasonOf(error, fault);
  }
  if (!isFolder) throw error;
}

/** Where a link may not be followed, that is why there is no folder, and not that something is there. */
function reasonOf(error: unknown, fault: unknown): unknown {
  return codeOf(error) === 'EEXIST' && codeOf(fault) !== 'ENOENT' ? fault : error;
}
