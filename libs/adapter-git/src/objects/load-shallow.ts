import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Commits of a bare repository of ours whose parents a shallow remote did not have. */
export async function loadShallow(folder: string): Promise<ReadonlySet<string>> {
  const text = await readFile(join(folder, 'shallow'), 'utf8').catch(() => '');
  return new Set(text.split('\n').filter((line) => line !== ''));
}
