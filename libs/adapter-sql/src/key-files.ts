import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { flushFolder, placeNewFile } from './place-new-file.ts';

/**
 * Writes a file of a key that is not there yet, whole or not at all, for its owner only.
 *
 * @throws Error of the code `EEXIST` where the file is there
 */
export function writeNewKeyFile(file: string, text: string): Promise<void> {
  return write(file, { text, mode: 0o600 }, (whole) => placeNewFile(whole, file));
}

/** Writes a file of a key, whole or not at all, in the place of one that may be there. @param mode for its owner only unless given */
export function replaceKeyFile(file: string, text: string, mode = 0o600): Promise<void> {
  return write(file, { text, mode }, async (whole) => {
    await rename(whole, file);
    await flushFolder(dirname(file));
  });
}

/**
 * The text of a file of a key.
 *
 * @param advice what to do about a file that is empty
 * @throws Error for one that is empty: releases that wrote files in place left it so where they were cut short
 */
export function requireKeyText(text: string, advice: string): string {
  if (text.trim() !== '') return text;
  throw new Error(`the file is empty, as a write that was cut short leaves it: ${advice}`);
}

/** Far longer than a write takes. */
const unfinishedMilliseconds = 60_000;
const unfinishedForm = /^(?:\.previous|\.lost)?\.[0-9a-f-]{36}\.part$/;

/**
 * Removes what writes of a key's file, and of those that say how it follows another, have left where their process was
 * killed: it may be a private key. What cannot be removed stays.
 */
export async function removeUnfinished(file: string): Promise<void> {
  const name = basename(file);
  const names = await readdir(dirname(file)).catch(() => []);
  for (const each of names) {
    if (!each.startsWith(name) || !unfinishedForm.test(each.slice(name.length))) continue;
    const path = join(dirname(file), each);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > unfinishedMilliseconds) await rm(path, { force: true }).catch(() => undefined);
  }
}

async function write(
  file: string,
  { text, mode }: { readonly text: string; readonly mode: number },
  put: (whole: string) => Promise<void>,
): Promise<void> {
  const whole = `${file}.${randomUUID()}.part`;
  try {
    await writeFile(whole, text, { mode, flag: 'wx', flush: true });
    await put(whole);
  } finally {
    await rm(whole, { force: true });
  }
}
