import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { parseDatabaseUrl } from '#adapter-sql';
import type { Configuration } from '#configuration';

/** The URL with the password of its file, which stands in no configuration. */
export async function databaseUrl({
  url,
  passwordFile,
}: Pick<Configuration['database'], 'url' | 'passwordFile'>): Promise<string> {
  if (passwordFile === undefined) return url;
  const withPassword = new URL(url);
  // A URL's own encoding leaves a percent sign as it is.
  withPassword.password = encodeURIComponent((await readFile(passwordFile, 'utf8')).trim());
  return withPassword.href;
}

/**
 * The same for the role of retention; `null`: it has none of its own.
 *
 * @throws Error where the ledger is in a file, which has no roles
 */
export async function retentionUrl({
  url,
  retentionUrl: own,
  retentionPasswordFile,
}: Configuration['database']): Promise<string | null> {
  if (own === undefined) return null;
  if (parseDatabaseUrl(url).dialect === 'sqlite')
    throw new Error('database.retentionUrl names a role of PostgreSQL, and database.url a file');
  return databaseUrl({
    url: own,
    ...(retentionPasswordFile === undefined ? {} : { passwordFile: retentionPasswordFile }),
  });
}

/** A mistyped path makes a ledger that knows nothing: the log says which file is new. */
export function noteNewFile(url: string, logger: Logger): void {
  const location = parseDatabaseUrl(url);
  if (location.dialect !== 'sqlite' || existsSync(location.file)) return;
  logger.info({ file: resolve(location.file) }, 'a new ledger begins: its file was not there');
}
