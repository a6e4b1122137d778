import { readFile } from 'node:fs/promises';
import type { Configuration } from '#configuration';

/** The URL with the password of its file, which stands in no configuration. */
export async function databaseUrl({ url, passwordFile }: Configuration['database']): Promise<string> {
  if (passwordFile === undefined) return url;
  const withPassword = new URL(url);
  withPassword.password = (await readFile(passwordFile, 'utf8')).trim();
  return withPassword.href;
}
