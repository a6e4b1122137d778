import { backUpDatabase, restoreDatabase } from '#adapter-sql';
import { codeOf } from '#kernel';
import { EntryProgress } from '../entry-progress.ts';
import type { Terminal } from '../run-command.ts';
import { UnusableError } from '../unusable-error.ts';
import { type DatabaseArguments, usable, withPassword } from './database-access.ts';

export interface BackUpArguments extends DatabaseArguments {
  readonly output: string;
}

/** Writes a backup. @throws UnusableError */
export async function backUp(
  { database, passwordFile, output: file }: BackUpArguments,
  terminal: Terminal,
): Promise<0> {
  const progress = new EntryProgress('saved', terminal);
  try {
    const url = await withPassword(database, passwordFile);
    const madeAt = new Date().toISOString();
    const rows = await backUpDatabase({ url, file, madeAt, onRows: (count) => progress.add(count) });
    progress.end();
    terminal.messages.write(`plimsoll: ${rows} rows in ${file}\n`);
    return 0;
  } catch (error) {
    progress.end();
    if (codeOf(error) === 'EEXIST') throw new UnusableError(`${file} is there already; name a new file`);
    throw usable(error);
  }
}

/** Restores a backup into an empty database. @throws UnusableError */
export async function restore(
  file: string,
  { database, passwordFile }: DatabaseArguments,
  terminal: Terminal,
): Promise<0> {
  const progress = new EntryProgress('restored', terminal);
  try {
    const url = await withPassword(database, passwordFile);
    const { madeAt } = await restoreDatabase({ url, file, onRows: (count) => progress.add(count) });
    progress.end();
    terminal.messages.write(`plimsoll: restored as of ${madeAt}\n`);
    return 0;
  } catch (error) {
    progress.end();
    throw usable(error);
  }
}
