import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The unfinished files of one that is written under other names until all of it is there. */
export interface UnfinishedFiles {
  readonly file: string;
  /** Of what their names have behind that of the file. */
  readonly form: RegExp;
  /** One that was changed later may yet be written. */
  readonly abandonedMilliseconds: number;
}

/** Removes what writers that were killed have left. What cannot be removed stays. */
export async function removeAbandoned({ file, form, abandonedMilliseconds }: UnfinishedFiles): Promise<void> {
  const name = basename(file);
  for (const each of await readdir(dirname(file)).catch(() => [])) {
    if (!each.startsWith(name) || !form.test(each.slice(name.length))) continue;
    const path = join(dirname(file), each);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > abandonedMilliseconds) await rm(path, { force: true }).catch(() => undefined);
  }
}
