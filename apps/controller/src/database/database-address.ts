import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { type DatabaseSettings, parseDatabaseUrl } from '#adapter-sql';
import type { Configuration } from '#configuration';
import { AdapterError, fileFault } from '#kernel';

/** How a database is reached, and what its errors name. */
export interface DatabaseAddress {
  readonly url: string;
  readonly settings: DatabaseSettings;
}

/**
 * The URL with the password of its file, which stands in no configuration.
 *
 * @throws AdapterError where that file cannot be read
 */
export function databaseAddress({
  url,
  passwordFile,
}: Pick<Configuration['database'], 'url' | 'passwordFile'>): Promise<DatabaseAddress> {
  return addressOf({ name: 'database.url', url }, { name: 'database.passwordFile', file: passwordFile });
}

/**
 * The same for the role of retention; `null`: it has none of its own.
 *
 * @throws AdapterError where the ledger is in a file, which has no roles
 */
export async function retentionAddress({
  url,
  retentionUrl: own,
  retentionPasswordFile,
}: Configuration['database']): Promise<DatabaseAddress | null> {
  if (own === undefined) return null;
  if (parseDatabaseUrl(url).dialect === 'sqlite') {
    throw new AdapterError({
      code: 'InvalidDatabaseUrl',
      message: 'database.retentionUrl names a role of PostgreSQL, and database.url a file',
      retryable: false,
    });
  }
  return addressOf(
    { name: 'database.retentionUrl', url: own },
    { name: 'database.retentionPasswordFile', file: retentionPasswordFile },
  );
}

async function addressOf(
  { name, url }: { readonly name: string; readonly url: string },
  password: { readonly name: string; readonly file: string | undefined },
): Promise<DatabaseAddress> {
  if (password.file === undefined)
    return { url, settings: { url: name, password: `${name}, or ${password.name}` } };
  const withPassword = new URL(url);
  // A URL's own encoding leaves a percent sign as it is.
  withPassword.password = encodeURIComponent(
    await readPassword({ name: password.name, file: password.file }),
  );
  const settings = { url: name, password: `${password.name} ${password.file}; the user is in ${name}` };
  return { url: withPassword.href, settings };
}

async function readPassword({
  name,
  file,
}: {
  readonly name: string;
  readonly file: string;
}): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    const message = `${name}: ${fileFault(error)}`;
    throw new AdapterError({ code: 'PasswordFileUnreadable', message, retryable: false, cause: error });
  }
}

/** A mistyped path makes a ledger that knows nothing of before: the log says which file is new, and what that means. */
export function noteNewFile(url: string, logger: Logger): void {
  const location = parseDatabaseUrl(url);
  if (location.dialect !== 'sqlite' || existsSync(location.file)) return;
  const fields = { setting: 'database.url', file: resolve(location.file) };
  logger.warn(
    fields,
    'a new ledger begins, since its file was not there: history, interventions and holds of an earlier one are not in it',
  );
}
