import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { flushFolder, placeNewFile } from './place-new-file.ts';
import { removeAbandoned } from './remove-abandoned.ts';

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
const abandonedMilliseconds = 60_000;
const unfinishedForm = /^(?:\.previous|\.lost)?\.[0-9a-f-]{36}\.part$/;

/**
 * Removes what writes of a key's file, and of those that say how it follows another, have left where their process was
 * killed: it may be a private key. What cannot be removed stays.
 */
export function removeUnfinished(file: string): Promise<void> {
  return removeAbandoned({ file, form: unfinishedForm, abandonedMilliseconds });
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
