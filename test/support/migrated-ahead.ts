import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { openLedgerDatabase } from '#adapter-sql';
import { codeOf } from '#kernel';

const root = join(import.meta.dirname, '../..');
const cache = join(root, 'node_modules', '.cache', 'ledgers');

let template: Promise<string> | undefined;

/**
 * Gives a database that has nothing yet, or a SQLite file that is not there, the schema of today, by a copy of one that was
 * migrated once: opening it then takes half as long. Each is a ledger of its own. A database that has tables stays as it is.
 *
 * @returns the URL
 */
export function migratedAhead(url: string): Promise<string> {
  return url.startsWith('sqlite:') ? migratedFile(url) : migratedDatabase(url);
}

async function migratedFile(url: string): Promise<string> {
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

/** Of each PostgreSQL server, by its host. */
const migratedOn = new Map<string, Promise<string>>();

async function migratedDatabase(url: string): Promise<string> {
  if (await hasTables(url)) return url;
  const { host, pathname } = new URL(url);
  let made = migratedOn.get(host);
  if (made === undefined) {
    made = makeMigrated(url);
    migratedOn.set(host, made);
  }
  const [name, from] = [decodeURIComponent(pathname.slice(1)), await made];
  await onServer(url, 'postgres', [
    `DROP DATABASE "${name}"`,
    `CREATE DATABASE "${name}" TEMPLATE "${from}"`,
  ]);
  await onServer(url, name, ["UPDATE ledger_identity SET id = replace(gen_random_uuid()::text, '-', '')"]);
  return url;
}

async function makeMigrated(url: string): Promise<string> {
  const name = 'migrated-ahead';
  await onServer(url, 'postgres', [`CREATE DATABASE "${name}"`]);
  const { close } = await openLedgerDatabase({ url: databaseAt(url, name) });
  await close();
  return name;
}

async function hasTables(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public' LIMIT 1");
  await client.end();
  return rows.length > 0;
}

async function onServer(url: string, database: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseAt(url, database) });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** Another database of the same server. */
function databaseAt(url: string, name: string): string {
  const found = new URL(url);
  found.pathname = name;
  return found.href;
}
