import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { parseDatabaseUrl } from '#adapter-sql';
import type { Configuration } from '#configuration';

/** The URL with the password of its file, which stands in no configuration. */
export async function databaseUrl({ url, passwordFile }: Configuration['database']): Promise<string> {
  if (passwordFile === undefined) return url;
  const withPassword = new URL(url);
  withPassword.password = (await readFile(passwordFile, 'utf8')).trim();
  return withPassword.href;
}

/** A mistyped path makes a ledger that knows nothing: the log says which file is new. */
export function noteNewFile(url: string, logger: Logger): void {
  const location = parseDatabaseUrl(url);
  if (location.dialect !== 'sqlite' || existsSync(location.file)) return;
  logger.info({ file: resolve(location.file) }, 'a new ledger begins: its file was not there');
}
