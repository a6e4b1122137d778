import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openLedgerDatabase } from '#adapter-sql';
import { codeOf } from '#kernel';

const root = join(import.meta.dirname, '../..');
const cache = join(root, 'node_modules', '.cache', 'ledgers');

let template: Promise<string> | undefined;

/**
 * Gives a SQLite file that is not there yet the schema of today, by a copy of one that was migrated once: opening it then
 * takes half as long. Each is a ledger of its own. Files that are there, and other databases, stay as they are.
 *
 * @returns the URL
 */
export async function migratedAhead(url: string): Promise<string> {
  if (!url.startsWith('sqlite:')) return url;
  const file = url.slice('sqlite:'.length);
  template ??= migratedTemplate();
  try {
    await copyFile(await template, file, constants.COPYFILE_EXCL);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return url;
    throw error;
  }
  const database = new Database(file);
  database.exec('UPDATE ledger_identity SET id = lower(hex(randomblob(16)))');
  database.close();
  return url;
}

/** Kept between runs, for as long as what migrates is the same. */
async function migratedTemplate(): Promise<string> {
  const file = join(cache, `${await hashOfMigrations()}.db`);
  if ((await stat(file).catch(() => null)) !== null) return file;
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'making-'));
  try {
    const made = join(folder, 'ledger.db');
    const { close } = await openLedgerDatabase({ url: `sqlite:${made}`, givesSpaceBack: true });
    await close();
    await rename(made, file);
  } finally {
    await rm(folder, { recursive: true });
  }
  return file;
}

async function hashOfMigrations(): Promise<string> {
  const folder = join(root, 'migrations');
  const names = (await readdir(folder)).sort();
  const files = [
    ...names.map((name) => join(folder, name)),
    join(root, 'libs/adapter-sql/src/sqlite/migrate-sqlite.ts'),
  ];
  const hash = createHash('sha256');
  for (const file of files) hash.update(file.slice(root.length)).update(await readFile(file));
  return hash.digest('hex');
}
